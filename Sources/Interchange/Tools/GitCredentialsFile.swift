import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The file of `git credential-store`: a URL with user name and password on each line (git-credential-store(1),
  /// "STORAGE FORMAT").
  public static let gitCredentials = FileFormat(
    "git-credentials", "the plain-text file of git's helper 'store'",
    usualPaths: [
      "~/.git-credentials", "$XDG_CONFIG_HOME/git/credentials", "~/.config/git/credentials",
    ],
    holdsLoginsAlone: true, severalForTheSame: .firstAnswers,
    looksLike: { $0.areLines(isURLWithLogin) }
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    for line in FileLines(text) where !line.isBlank {
      if line.text.first == UInt8(ascii: "#") { found.noteOthers() } else { readGitCredential(line, &found) }
    }
    return found
  }
}

/// Whether a line begins with `SCHEME://LOGIN@HOST`. In a table, an address and the user's e-mail address often make a
/// line with all of these signs, but not in this order.
private func isURLWithLogin(_ line: UnsafeRawBufferPointer) -> Bool {
  guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[colon...].starts(with: "://".utf8),
    line[..<colon].isScheme
  else { return false }
  let authority = line[(colon + 3)...].prefix { !"/?#".utf8.contains($0) }
  guard let end = authority.lastIndex(of: UInt8(ascii: "@")) else { return false }
  return !hasSeparator(authority[(end + 1)...])
}

/// Whether a supposed host has a separator of table columns, or a quote.
private func hasSeparator(_ host: some Sequence<UInt8>) -> Bool {
  host.contains { $0 <= 0x20 || ",;|\"'".utf8.contains($0) }
}

private func readGitCredential(_ line: FileLine, _ found: inout FoundLogins) {
  let origin = Origin.line(line.number)
  do throws(KeychainError) {
    let url = try escaped(line.text).withUnsafeBytes { (text) throws(KeychainError) in
      try CredentialURL(parsing: text)
    }
    // Git compares the bytes, and so never finds a line with a byte order mark or a blank before the scheme.
    guard url.hasScheme, url.account != nil else { return found.passOver(origin, .malformed) }
    guard let host = HostAndPort(parsing: url.host), !hasSeparator(host.server.bytes) else {
      return found.passOver(origin, .malformed)
    }
    let key = InternetPassword(
      protocol: url.protocol, server: host.server, port: host.port, account: url.account, path: url.path)
    if key.server == nil, key.path == nil { return found.passOver(origin, .noPlace) }
    switch url.password {
    case .none: found.passOver(origin, .noSecret)
    case .some(let password):
      // Every part of a URL has a place in the item.
      let entry = SourceEntry(at: origin, removals: [Removal(line.range)])
      found.take(Item(key), Credential(password.copy()), of: entry)
    }
  } catch {
    found.passOver(origin, .malformed)
  }
}

/// A line with `%` escaped wherever, before its `@`, it begins no escape for git (its `url.c`): before two digits that
/// aren't hexadecimal or are zeros, and in a password before a colon, because git takes the part before it for a
/// protocol.
private func escaped(_ line: UnsafeRawBufferPointer) -> Secret {
  let (colon, slash) = (UInt8(ascii: ":"), UInt8(ascii: "/"))
  let end = line.lastIndex(of: UInt8(ascii: "@")) ?? 0
  let login = line[..<end].drop { $0 != slash }.drop { $0 == slash }
  let password = login.drop { $0 != colon }.dropFirst()
  let plain = password.lastIndex(of: colon).map { _ in password.prefix { $0 != colon } } ?? password.prefix(0)
  var text = Secret(capacity: line.count)
  for index in line.indices {
    text.append(line[index])
    guard line[index] == UInt8(ascii: "%"), index < end else { continue }
    let digits = line[(index + 1)...].prefix(2)
    let isEscape =
      digits.count == 2 && digits.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 | 0x20 }
      && !digits.allSatisfy { $0 == 0x30 } && !plain.indices.contains(index)
    if !isEscape { text.append("25") }
  }
  return text
}
