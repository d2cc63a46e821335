import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The file of twine and other programs that publish Python packages (packaging.python.org, "The .pypirc file"). A
  /// login is stored as by Python's keyring for twine, under the repository's URL.
  public static let pypirc = FileFormat(
    "pypirc", "the file of twine and flit for publishing Python packages", usualPaths: ["~/.pypirc"],
    holdsLoginsAlone: false,
    looksLike: { shape in
      shape.sections.contains("distutils") || shape.sections.contains("pypi")
    }
  ) { text throws(FormatFault) in
    let file = INIDocument(text)
    if file.sections.isEmpty { throw FormatFault("it has no sections, as a .pypirc file has") }
    var found = FoundLogins(malformed: file.malformedLines)
    for section in file.sections.map(\.name) where section != "distutils" && section != "DEFAULT" {
      found.takeRepository(section, of: file, text)
    }
    return found
  }
}

extension FoundLogins {
  fileprivate mutating func takeRepository(
    _ section: ByteString, of file: INIDocument, _ text: UnsafeRawBufferPointer
  ) {
    let passwords = file.options("password", in: section)
    guard let password = passwords.last else {
      return file.option("username", in: section).map { passOver(.line($0.line), .noSecret) } ?? ()
    }
    let origin = Origin.line(password.line)
    guard let repository = repository(of: section, in: file, text) else { return passOver(origin, .noPlace) }
    let secret = password.secret(in: text)
    if secret.isEmpty { return passOver(origin, .noSecret) }
    let user = file.inherited("username", in: section)
    guard password.isExact(in: text), user?.isExact(in: text) ?? true else {
      return passOver(origin, .malformed)
    }
    // Python refuses a file with duplicate options.
    guard passwords.allSatisfy({ $0.secret(in: text).isEqual(to: secret) }) else {
      return passOver(origin, .disputed)
    }
    let isPyPI = [pyPI, testPyPI].contains { repository.bytes.starts(with: $0.bytes) }
    let account = user?.text(in: text).trimmed ?? (isPyPI ? "__token__" : nil)
    // The user name and the repository stay in the file.
    take(
      KeyringProtocol.item(service: repository, account: account.nonEmpty), Credential(secret),
      of: SourceEntry(at: origin, removals: passwords.flatMap { $0.removals(in: text) }))
  }
}

private let pyPI: ByteString = "https://upload.pypi.org/legacy/"
private let testPyPI: ByteString = "https://test.pypi.org/legacy/"
private let ownHosts: [ByteString] = [
  "pypi.python.org", "testpypi.python.org", "upload.pypi.org", "test.pypi.org",
]

/// The URL by which twine asks the keyring; `nil` for a section without one, and for `server-login`.
private func repository(of section: ByteString, in file: INIDocument, _ text: UnsafeRawBufferPointer)
  -> ByteString?
{
  if section == "server-login" { return nil }
  guard let url = (file.inherited("repository", in: section)?.text(in: text)).nonEmpty else {
    return section == "pypi" ? pyPI : section == "testpypi" ? testPyPI : nil
  }
  guard let (place, _) = try? Place.parse(url) else { return nil }
  // As twine writes it: the scheme in lower case, and https for known hosts.
  let end = url.bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0
  let rest = url.bytes[end...]
  let host = rest.dropFirst(3).prefix { $0 != UInt8(ascii: "/") }
  let isOwn = ownHosts.contains { $0.bytes.elementsEqual(host) }
  let scheme: ByteString = isOwn ? "https" : place.protocol
  return ByteString(scheme.bytes + rest)
}

extension INIDocument {
  /// The option of that name in a section, or in the section `DEFAULT`, whose options Python applies to all.
  fileprivate func inherited(_ name: ByteString, in section: ByteString) -> Option? {
    option(name, in: section) ?? option(name, in: "DEFAULT")
  }
}

extension INIDocument.Option {
  /// Whether Python would trim the same white space from its lines, that is, there is none beyond ASCII.
  fileprivate func isExact(in text: UnsafeRawBufferPointer) -> Bool {
    values.map { text.slice($0) }.allSatisfy { value in
      // White space characters in Unicode have at most three bytes, so these suffice.
      let ends = [
        String(decoding: value.prefix(3), as: UTF8.self), String(decoding: value.suffix(3), as: UTF8.self),
      ]
      return [ends[0].unicodeScalars.first, ends[1].unicodeScalars.last].allSatisfy { scalar in
        guard let scalar else { return true }
        return !scalar.properties.isWhitespace && !(0x1c...0x1f).contains(scalar.value)
      }
    }
  }
}
