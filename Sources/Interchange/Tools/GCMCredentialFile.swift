import Bytes
import CredentialProtocols
import Keychain
import TextFormats

extension FileFormat {
  /// A file of Git Credential Manager's store in plain text (its documentation, "Credential stores"), which has one for each
  /// login, in folders named after the host: the password on the first line, then `service=URL` and `account=NAME`.
  public static let gcm = FileFormat(
    "gcm", "what Git Credential Manager keeps, in plain text or with gpg",
    usualPaths: ["$GCM_PLAINTEXT_STORE_PATH/**.credential", "~/.gcm/store/**.credential"],
    holdsLoginsAlone: true,
    looksLike: { shape in
      var lines = FileLines(shape.text)
      _ = lines.next()
      let second = lines.next()?.text
      return second?.begins(with: "service=") ?? false ? .certain : .none
    }
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    if text.trimmedSlice.isEmpty { return found }
    var entry = SourceEntry(at: .line(1), removals: [Removal(0..<text.count)])
    var lines = FileLines(text)
    let first = lines.next()
    let password = first?.text
    for line in lines where !line.isBlank {
      let name = line.text.prefix { $0 != UInt8(ascii: "=") }
      let value = UnsafeRawBufferPointer(rebasing: line.text.dropFirst(name.count + 1))
      entry.add(ByteString(UnsafeRawBufferPointer(rebasing: name)), .bytes(value))
    }
    let service = entry.text("service")
    guard let password, !password.isEmpty else {
      found.passOver(entry.origin, .noSecret)
      return found
    }
    // GCM takes a carriage return for a part of the password, unless it runs on Windows.
    if let first, text[first.range].contains(where: { $0 == 0x0d || $0 == 0 }) {
      found.passOver(entry.origin, .disputed)
      return found
    }
    guard let key = GCMService.place(ofURL: service), key.server?.canBeServer ?? false else {
      found.passOver(entry.origin, .noPlace)
      return found
    }
    var item = key
    item.account = entry.text("account").nonEmpty
    found.take(Item(item), Credential(Secret(copying: password)), of: entry)
    return found
  }
}
