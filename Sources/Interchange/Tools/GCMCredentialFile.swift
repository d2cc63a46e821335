import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// A file of Git Credential Manager's store in plain text (its documentation, "Credential stores"), which has one for
  /// each login, in folders named after the host: the password on the first line, then `service=URL` and
  /// `account=NAME`.
  public static let gcm = FileFormat(
    "gcm", "Git Credential Manager: files, gpg or the Secret Service",
    usualPaths: ["$GCM_PLAINTEXT_STORE_PATH/**.credential", "~/.gcm/store/**.credential"],
    holdsLoginsAlone: true,
    looksLike: { shape in
      var lines = FileLines(shape.text)
      _ = lines.next()
      let second = lines.next()?.text
      return second?.starts(with: "service=") ?? false
    }
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    if !text.trimmedSlice.isEmpty { found.takeGCM(text) }
    return found
  }
}

extension FoundLogins {
  fileprivate mutating func takeGCM(_ text: UnsafeRawBufferPointer) {
    var entry = SourceEntry(at: .line(1), removals: [Removal(0..<text.count)])
    var lines = FileLines(text)
    let first = lines.next()
    let password = first?.text
    for line in lines where !line.isBlank {
      guard let equals = line.text.firstIndex(of: UInt8(ascii: "=")) else {
        // It may be part of the password.
        entry.add("further lines", .bytes(line.text))
        continue
      }
      entry.add(
        ByteString(line.text.slice(0..<equals)), .bytes(line.text.slice(equals + 1..<line.text.count)))
    }
    let service = entry.text("service")
    guard let password, !password.isEmpty else { return passOver(entry.origin, .noSecret) }
    // GCM reads a carriage return as part of the password, unless it runs on Windows.
    if let first, text[first.range].contains(where: { $0 == 0x0d || $0 == 0 }) {
      return passOver(entry.origin, .disputed)
    }
    if GCMService.isOfRefreshToken(service) { return passOver(entry.origin, .renewed) }
    guard let key = GCMService.login(at: service, account: entry.text("account")),
      key.server?.canBeServer ?? false
    else { return passOver(entry.origin, .noPlace) }
    if let rest = service.leftBehind(besides: key.account) { entry.add(ByteString(rest), .part) }
    take(Item(key), Credential(Secret(copying: password)), of: entry)
  }
}
