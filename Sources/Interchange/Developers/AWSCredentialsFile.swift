import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The keys of the AWS CLI and SDKs (AWS SDKs and Tools Reference Guide, "Shared config and credentials files"), for
  /// each profile. They are stored for `llavero aws`: under the service `aws:PROFILE`, with the access key ID as
  /// account; with a session token, as the JSON of `aws configure export-credentials`.
  ///
  /// A profile's other settings, such as a role, single sign-on or a second factor, stay in the file.
  public static let aws = FileFormat(
    "aws", "the keys of the AWS CLI and SDKs",
    usualPaths: [
      "$AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials", "$AWS_CONFIG_FILE", "~/.aws/config",
    ],
    holdsLoginsAlone: true,
    looksLike: { $0.hasLine(beginningWith: "aws_access_key_id") }
  ) { text throws(FormatFault) in
    let file = try INIDocument(text, orElse: "it has no profiles, as a file of aws has")
    var found = FoundLogins(malformed: file.malformedLines)
    if file.hasComments || file.options.contains(where: { !AWSProfileKeys.names.contains($0.name) }) {
      found.noteOthers()
    }
    for section in file.sections.map(\.name) { AWSProfileKeys(section, file).read(text, &found) }
    return found
  }
}

private struct AWSProfileKeys {
  private let profile: ByteString
  private let identifiers: [INIDocument.Option]
  private let keys: [INIDocument.Option]
  /// Under two names; the second is that of version 2 of boto.
  private let tokens: [INIDocument.Option]
  /// Expiry dates noted by programs that fetch temporary keys (saml2aws, aws-azure-login).
  private let ends: [INIDocument.Option]
  /// Options that the CLI needs besides, or logs in with instead.
  private let others: [INIDocument.Option]

  static let names: [ByteString] = ["aws_access_key_id", "aws_secret_access_key"] + tokenNames + endNames
  private static let tokenNames: [ByteString] = ["aws_session_token", "aws_security_token"]
  private static let endNames: [ByteString] = ["x_security_token_expires", "aws_expiration"]
  private static let otherNames: [ByteString] = ["mfa_serial", "sso_session", "sso_start_url"]

  init(_ section: ByteString, _ file: INIDocument) {
    func options(_ names: [ByteString]) -> [INIDocument.Option] {
      names.flatMap { file.options($0, in: section) }
    }
    // In the configuration, a profile's section begins with that word.
    let words = section.bytes.split(maxSplits: 1, whereSeparator: isWhiteSpace)
    let isNamed = words.count == 2 && ByteString(Array(words[0])) == "profile"
    profile =
      isNamed ? ByteString(words[1].filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }) : section
    identifiers = options(["aws_access_key_id"])
    keys = options(["aws_secret_access_key"])
    tokens = options(Self.tokenNames)
    ends = options(Self.endNames)
    others = options(Self.otherNames)
  }

  func read(_ text: UnsafeRawBufferPointer, _ found: inout FoundLogins) {
    for option in others { found.passOver(.line(option.line), .noLogin) }
    guard let first = keys.first ?? identifiers.first ?? tokens.first else { return }
    let origin = Origin.line(first.line)
    guard let identifier = identifiers.first, let key = keys.first, !key.value.isEmpty,
      !identifier.value.isEmpty
    else { return found.passOver(origin, .noSecret) }
    // The CLI refuses a duplicate key. It reads quotes and comments as part of the value; SDKs don't.
    let parts = [identifiers, keys, tokens]
    let isPlain = parts.joined().allSatisfy { option in
      text[option.value].allSatisfy { 0x21...0x7e ~= $0 && !"\"';#".utf8.contains($0) }
    }
    guard isPlain, parts.allSatisfy({ $0.areAlike(in: text) }) else {
      return found.passOver(origin, .disputed)
    }
    let dates = ends.map { Timestamp(rfc3339: $0.text(in: text).bytes) }
    let dated = zip(ends, dates).filter { $1 != nil }.map(\.0)
    var entry = SourceEntry(at: origin, removals: (parts.joined() + dated).flatMap { $0.removals(in: text) })
    for (end, date) in zip(ends, dates) where date == nil {
      entry.add("expiry", .bytes(text.slice(end.value)))
    }
    // If two programs noted different dates, only the first is certain.
    let expiry = dates.compactMap { $0?.seconds }.min()
    let account = identifier.text(in: text)
    found.take(
      Item(service: "aws:\(profile)", account: account),
      Credential(secret(account, key, text), expiry: expiry), of: entry)
  }

  /// The secret for `llavero aws`: the key, or everything as JSON.
  private func secret(
    _ account: ByteString, _ key: INIDocument.Option, _ text: UnsafeRawBufferPointer
  ) -> Secret {
    guard let token = tokens.first(where: { !$0.value.isEmpty }) else { return key.secret(in: text) }
    var json = JSONWriter()
    json.beginObject()
    json.textMember("AccessKeyId", account)
    json.textMember("SecretAccessKey", text.slice(key.value))
    json.textMember("SessionToken", text.slice(token.value))
    json.endObject()
    return json.finishLine().withoutLastLineFeed()
  }
}

extension [INIDocument.Option] {
  /// Whether all have the same value.
  fileprivate func areAlike(in text: UnsafeRawBufferPointer) -> Bool {
    allSatisfy { $0.secret(in: text).isEqual(to: self[0].secret(in: text)) }
  }
}
