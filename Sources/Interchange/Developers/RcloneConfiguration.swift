import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The passwords, keys and tokens of rclone's remotes (rclone.org, "Configuration Encryption" and each backend's
  /// page). A password for a host is stored as the login there, everything else under the service
  /// `rclone:REMOTE:OPTION`, without rclone's obscuring.
  ///
  /// A token that rclone renews by itself stays: rclone writes each new one into this file, and a copy would soon be
  /// stale.
  public static let rclone = FileFormat(
    "rclone", "the passwords and keys of rclone's remotes",
    usualPaths: [
      "$RCLONE_CONFIG", "$XDG_CONFIG_HOME/rclone/rclone.conf", "~/.config/rclone/rclone.conf",
      "~/.rclone.conf",
    ],
    holdsLoginsAlone: false,
    looksLike: { shape in
      !shape.sections.isEmpty
        && shape.hasLine { line in
          guard line.starts(with: "type"), let equals = line.firstIndex(of: UInt8(ascii: "=")),
            line[4..<equals].allSatisfy(isWhiteSpace)
          else { return false }
          let kind = line.slice(equals + 1..<line.count).trimmedSlice
          return RcloneRemote.kinds.contains { kind.elementsEqual($0.utf8) }
        }
    }
  ) { text throws(FormatFault) in
    let file = SettingLines(text, separators: "=:")
    if !file.settings.contains(where: { !$0.section.isEmpty }), !text.trimmedSlice.isEmpty {
      throw FormatFault("it has no remotes, as rclone's configuration has")
    }
    var found = FoundLogins()
    for setting in file.settings where !setting.section.isEmpty {
      let remote = RcloneRemote(name: setting.section, file: file, text: text)
      if let isObscured = remote.isObscured(setting) { remote.take(setting, isObscured: isObscured, &found) }
    }
    return found
  }
}

struct RcloneRemote {
  let name: ByteString
  fileprivate let file: SettingLines
  fileprivate let text: UnsafeRawBufferPointer

  static let kinds = """
    alias archive azureblob azurefiles b2 box cache chunker cloudinary combine compress crypt doi drive drime dropbox \
    fichier filefabric filelu filen filescom ftp gofile googlecloudstorage googlephotos hasher hdfs hidrive http \
    iclouddrive imagekit internetarchive internxt jottacloud koofr linkbox local mailru mega memory netstorage onedrive \
    opendrive oracleobjectstorage pcloud pikpak pixeldrain premiumizeme protondrive putio qingstor quatrix s3 seafile \
    sftp shade sharefile sia smb storj sugarsync swift ulozto union uptobox webdav yandex zoho
    """.split(separator: " ")

  /// The options that rclone obscures for every remote.
  private static let obscured: [ByteString] = [
    "pass", "password", "password2", "file_password", "folder_password", "key_file_pass",
    "client_certificate_password", "plex_password", "mailbox_password", "otp_secret_key", "library_key",
    "api_password",
  ]
  /// The options that rclone obscures for one kind of remote.
  private static let obscuredOfKinds: [(kind: ByteString, option: ByteString)] = [
    ("netstorage", "secret"), ("filen", "api_key"),
  ]
  /// Confidential options in plain text.
  private static let plain: [ByteString] = [
    "secret_access_key", "session_token", "access_token", "bearer_token", "key", "access_grant", "api_key",
    "api_secret", "app_token", "application_credential_secret", "auth_token", "connection_string", "sas_url",
    "client_secret", "config_credentials", "link_password", "master_keys", "mnemonic", "passphrase",
    "permanent_token", "plex_token", "private_access_key", "private_key", "refresh_token", "authorization",
    "service_account_credentials", "token", "key_pem", "sse_customer_key", "sse_customer_key_base64",
  ]

  /// Whether a remote's option is obscured; `nil` if it is no secret.
  static func isObscured(_ option: ByteString, of kind: ByteString?) -> Bool? {
    if obscured.contains(option) || obscuredOfKinds.contains(where: { $0 == kind && $1 == option }) {
      return true
    }
    return plain.contains(option) ? false : nil
  }

  fileprivate func isObscured(_ setting: SettingLine) -> Bool? {
    Self.isObscured(setting.name, of: value("type"))
  }

  /// The value of an option that isn't confidential, the last one if there are several; `nil` if there is none.
  private func value(_ names: ByteString...) -> ByteString? {
    for option in names {
      let setting = file.settings.last { $0.section == name && $0.name == option }
      let value = setting.flatMap { text.goValue($0.value) }.map { ByteString(text.slice($0)) }
      if let value = value.nonEmpty { return value }
    }
    return nil
  }

  fileprivate func take(_ setting: SettingLine, isObscured: Bool, _ found: inout FoundLogins) {
    let origin = Origin.line(setting.line)
    guard let range = text.goValue(setting.value),
      let removal = Removal(setting, of: text, withoutQuotes: range)
    else { return found.passOver(origin, .malformed) }
    if range.isEmpty { return found.passOver(origin, .noSecret) }
    let written = text.slice(range)
    if written.indices.contains(where: { written.begins(with: "%(", at: $0) }) {
      return found.passOver(origin, .reference)
    }
    if written.isRenewable { return found.passOver(origin, .renewed) }
    var secret = Secret(copying: written)
    if isObscured {
      guard case .some(let revealed) = Secret(obscuredByRclone: written) else {
        return found.passOver(origin, .undecipherable)
      }
      secret = revealed
    }
    // Somebody may have put a plain password here; rclone "reveals" it to other bytes, and uses those.
    if secret.isEmpty || !secret.withUnsafeBytes({ isValidUTF8($0) && !$0.contains(0) }) {
      return found.passOver(origin, secret.isEmpty ? .noSecret : .notText)
    }
    do throws(NoPlace) {
      found.take(
        try item(of: setting.name), Credential(secret),
        of: SourceEntry(at: origin, removals: [removal]))
    } catch {
      found.passOver(origin, error.reason)
    }
  }

  private func item(of option: ByteString) throws(NoPlace) -> Item {
    let account: ByteString?
    switch option {
    case "secret_access_key": account = value("access_key_id")
    case "client_secret": account = value("client_id")
    case "application_credential_secret": account = value("application_credential_id")
    default: account = value("user", "username", "email", "account")
    }
    var item = Item(
      .genericPassword(GenericPassword(service: ByteString("rclone:\(name):\(option)"), account: account)))
    item.itemDescription = value("type")
    if option == "pass", let (place, named) = try place() {
      item.key = .internetPassword(place.key(account: account ?? named.nonEmpty, for: nil))
      item.label = name
      return item
    }
    for address in [value("url"), value("endpoint"), value("host"), value("auth")] {
      if let address { item.addAddress(address) }
    }
    return item
  }

  /// The host of `pass`, and the account in its address; `nil` if the remote's kind, or an address, means that there is
  /// none.
  private func place() throws(NoPlace) -> (Place, account: ByteString?)? {
    switch value("type") {
    case "webdav":
      value("url").flatMap { try? Place.parse($0) }.flatMap { $0.place.server.canBeServer ? $0 : nil }
    case "ftp": try host(value("tls") == "true" ? "ftps" : "ftp").map { ($0, nil) }
    case "sftp": try host("sftp").map { ($0, nil) }
    case "smb": try host("smb").map { ($0, nil) }
    default: nil
    }
  }

  private func host(_ protocol: ByteString) throws(NoPlace) -> Place? {
    guard let host = value("host"), host.canBeServer else { return nil }
    return try Place(protocol: `protocol`, server: host, writtenPort: value("port"))
  }
}

extension Removal {
  /// Removes an option, except the comment after its quotes; `nil` if there is something else, which rclone doesn't
  /// see.
  fileprivate init?(
    _ setting: SettingLine, of text: UnsafeRawBufferPointer, withoutQuotes range: Range<Int>
  ) {
    let end = range.upperBound + (range.lowerBound - setting.value.lowerBound)
    let rest = text.trimmed(end..<setting.value.upperBound)
    if let first = text[rest].first, !"#;".utf8.contains(first) { return nil }
    self.init(setting.range, of: text, upToCommentAfter: end, marks: "#;")
  }
}

extension UnsafeRawBufferPointer {
  /// A value without the quotes of rclone's reader (github.com/unknwon/goconfig); `nil` if they aren't closed.
  fileprivate func goValue(_ range: Range<Int>) -> Range<Int>? {
    let value = slice(range)
    let quote: StaticString
    if value.count > 1, value[0] == UInt8(ascii: "`") {
      quote = "`"
    } else if value.count > 5, value.starts(with: "\"\"\"") {
      quote = "\"\"\""
    } else {
      return range
    }
    let start = quote.utf8CodeUnitCount
    guard let end = (start..<value.count).last(where: { value.begins(with: quote, at: $0) }) else {
      return nil
    }
    return range.lowerBound + start..<range.lowerBound + end
  }

  /// Whether it is a JSON token that its program renews.
  fileprivate var isRenewable: Bool {
    guard first == UInt8(ascii: "{") else { return false }
    var isRenewable = false
    try? JSONReader.members(of: self) { (name, value) throws(JSONReader.Malformed) in
      if name == "refresh_token", value.raw.count > 2, value.kind == .string { isRenewable = true }
    }
    return isRenewable
  }
}
