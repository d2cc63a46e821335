import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The file of the backend `PlaintextKeyring` of Python's keyring (PyPI, "keyrings.alt"): a section for each service,
  /// an option for each user name, both escaped, with the password in base64.
  ///
  /// Python converts option names to lower case, so capital letters in user names are lost.
  public static let keyring = FileFormat(
    "keyring", "the passwords of Python's keyring",
    usualPaths: [
      "$XDG_DATA_HOME/python_keyring/keyring_pass.cfg", "~/.local/share/python_keyring/keyring_pass.cfg",
    ],
    holdsLoginsAlone: true,
    looksLike: { shape in
      // It writes each value on a line of its own, below a name.
      let isIndented = FileLines(shape.text).prefix(3).contains { $0.text.first == 0x09 }
      let hasName = shape.hasLine { $0.last == UInt8(ascii: "=") && $0.dropLast().last == 0x20 }
      return !shape.sections.isEmpty && isIndented && hasName
    }
  ) { text throws(FormatFault) in
    let file = try INIDocument(text, orElse: "it has no sections, as a file of Python's keyring has")
    if file.sections.contains(where: { $0.name == "keyring_2Dsetting" }) {
      throw FormatFault("it is the encrypted file of Python's keyring, and only that can read it")
    }
    var found = FoundLogins(malformed: file.malformedLines)
    if file.hasComments { found.noteOthers() }
    for option in file.options { found.takePassword(option, text) }
    return found
  }
}

extension FoundLogins {
  fileprivate mutating func takePassword(_ option: INIDocument.Option, _ text: UnsafeRawBufferPointer) {
    let origin = Origin.line(option.line)
    var encoded = Secret()
    for value in option.values { encoded.append(text.slice(value)) }
    guard case .some(let password) = encoded.withUnsafeBytes({ Secret(base64: $0) }) else {
      return passOver(origin, .malformed)
    }
    if password.isEmpty { return passOver(origin, .noSecret) }
    take(
      KeyringProtocol.item(service: unescaped(option.section), account: unescaped(option.name)),
      Credential(password), of: SourceEntry(at: origin, removals: option.removals(in: text)))
  }
}

/// The bytes with each `_` and two hexadecimal digits decoded.
private func unescaped(_ text: ByteString) -> ByteString {
  ByteString(PercentEncoding.decodedEscapes(in: text.bytes, mark: UInt8(ascii: "_")))
}
