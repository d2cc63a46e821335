import Bytes
import CredentialProtocols
import Keychain

extension FoundLogins {
  /// Adds the logins of URLs in a text that have a password before their `@`. The URL stays without the password; its
  /// account lets the program ask.
  ///
  /// - Parameters:
  ///   - range: the range of the URLs, with any separators.
  ///   - line: the line of the range, counting from 1.
  ///   - setting: the setting of the URLs, if its program asks nobody.
  mutating func takeURLs(
    in range: Range<Int>, of text: UnsafeRawBufferPointer, line: Int, ofSetting setting: ByteString? = nil
  ) {
    var rest = range
    while let url = text.nextURL(in: rest) {
      let origin = Origin.line(line + text[range.lowerBound..<url.lowerBound].count { $0 == 0x0a })
      takeURL(url, of: text, at: origin, setting)
      rest = url.upperBound..<range.upperBound
    }
  }

  private mutating func takeURL(
    _ range: Range<Int>, of text: UnsafeRawBufferPointer, at origin: Origin, _ setting: ByteString?
  ) {
    guard let parts = URLParts(text, range) else { return }
    guard let information = parts.information else {
      // A number sign or a slash in the password ends the server for programs.
      return parts.isTorn ? passOver(origin, .malformed) : ()
    }
    let part = text[information]
    // Programs differ in which @ they take.
    if part.contains(UInt8(ascii: "@")) { return passOver(origin, .disputed) }
    if text.hasVariable(in: information) { return passOver(origin, .reference) }
    let isElsewhere = text.hasVariable(in: information.upperBound..<parts.end)
    do throws(KeychainError) {
      let url = try CredentialURL(parsing: text.slice(range.lowerBound..<parts.end))
      guard url.hasScheme, let host = HostAndPort(parsing: url.host) else {
        return passOver(origin, isElsewhere ? .reference : .malformed)
      }
      let place = Place(protocol: url.protocol, server: host.server, port: host.port, path: url.path)
      switch url.password {
      case .some(let password) where !password.isEmpty && !password.isNoSecret:
        if isElsewhere { return passOver(origin, .reference) }
        let colon = part.firstIndex(of: UInt8(ascii: ":")) ?? part.endIndex
        var item = Item(place.key(account: url.account.nonEmpty, for: nil))
        item.itemDescription = setting
        takeURL(
          item, Credential(password.copy()), at: origin, colon..<information.upperBound)
      default:
        // A token may be in the user name's place.
        guard let name = url.account.nonEmpty else { return }
        guard let account = name.accountOfToken(url.hasTokenAsName) else {
          // No user name needs a colon at its end.
          return url.password == nil ? () : passOver(origin, .inURL)
        }
        if isElsewhere { return passOver(origin, .reference) }
        takeURL(
          Item(place.key(account: account, for: nil)), Credential(Secret(copying: name)),
          at: origin, information.lowerBound..<information.upperBound + 1)
      }
    } catch {
      passOver(origin, .malformed)
    }
  }
}

extension FoundLogins {
  private mutating func takeURL(
    _ item: Item, _ credential: consuming Credential, at origin: Origin, _ range: Range<Int>
  ) {
    var entry = SourceEntry(at: origin, removals: [Removal(range)])
    // The replacement for a separate setting is known.
    entry.isInURL = item.itemDescription == nil
    take(item, credential, of: entry)
  }
}

extension FileFormat {
  /// The replacement for a login found in such a file; `nil` if there is none, as for one in a URL, which stays a
  /// registry's or a proxy's.
  public func instead(of login: FoundLogin) -> Instead? { login.isInURL ? nil : instead(of: login.item) }
}

private struct URLParts {
  /// The part before its `@`, if there is one.
  let information: Range<Int>?
  /// Whether an `@` follows the part that programs take for the server, and that part has an invalid port.
  let isTorn: Bool
  /// Where its path ends.
  let end: Int

  init?(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
    guard let mark = range.first(where: { text.begins(with: "://", at: $0) }) else { return nil }
    let start = mark + 3
    let authority = text[start..<range.upperBound].prefix { ![0x2f, 0x3f, 0x23].contains($0) }
    information = authority.lastIndex(of: UInt8(ascii: "@")).map { start..<$0 }
    let port = authority.lastIndex(of: UInt8(ascii: ":")).map { authority[($0 + 1)...] }
    // A quote or a blank ends the URL, but may also be part of the password.
    let rest = text[authority.endIndex...].prefix { $0 != 0x0a }
    isTorn =
      port.map { !$0.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "]") } } ?? false
      && rest.contains(UInt8(ascii: "@"))
    end =
      text[authority.endIndex..<range.upperBound].firstIndex { $0 == 0x3f || $0 == 0x23 } ?? range.upperBound
  }
}

extension UnsafeRawBufferPointer {
  /// The next URL in a range: a scheme, `://`, and anything up to white space, a quote or a comma.
  fileprivate func nextURL(in range: Range<Int>) -> Range<Int>? {
    guard let mark = range.first(where: { begins(with: "://", at: $0) && $0 + 3 <= range.upperBound }) else {
      return nil
    }
    let start = mark - self[range.lowerBound..<mark].reversed().prefix(while: \.isOfScheme).count
    let end = self[mark..<range.upperBound].firstIndex { isWhiteSpace($0) || "\"',\\<>".utf8.contains($0) }
    return start..<(end ?? range.upperBound)
  }

  /// The parts of URLs in a range with a user name and a password.
  func passwordsInURLs(_ range: Range<Int>) -> [Range<Int>] {
    var passwords: [Range<Int>] = []
    var rest = range
    while let url = nextURL(in: rest) {
      rest = url.upperBound..<range.upperBound
      guard let parts = URLParts(self, url) else { continue }
      if let information = parts.information, hasPassword(in: information) { passwords.append(information) }
      if parts.isTorn { passwords.append(url) }
    }
    return passwords
  }

  /// Whether the part before a URL's `@` has a password, and not a variable in its place.
  fileprivate func hasPassword(in information: Range<Int>) -> Bool {
    guard let colon = self[information].firstIndex(of: UInt8(ascii: ":")) else { return false }
    return colon + 1 < information.upperBound && !hasVariable(in: information)
  }

  /// Whether a range contains a variable for programs to expand: `${NAME}`.
  func hasVariable(in range: Range<Int>) -> Bool { range.contains { begins(with: "${", at: $0) } }
}

extension Secret {
  /// Whether it says that the secret is the user name (GitHub's former form).
  var isNoSecret: Bool { withUnsafeBytes { $0 == "x-oauth-basic" } }
}

extension CredentialURL {
  /// Whether its password says that the user name is a token.
  fileprivate var hasTokenAsName: Bool {
    switch password {
    case .none: false
    case .some(let password): password.isNoSecret
    }
  }
}

extension ByteString {
  /// The account for a token in the user name's place; `nil` if it isn't known to be a token.
  ///
  /// - Parameter isSaid: whether the password says so.
  fileprivate func accountOfToken(_ isSaid: Bool) -> ByteString? {
    let kinds: [(beginning: String, account: ByteString)] = [
      ("ghp_", "x-access-token"), ("gho_", "x-access-token"), ("ghu_", "x-access-token"),
      ("ghs_", "x-access-token"), ("github_pat_", "x-access-token"), ("glpat-", "oauth2"),
    ]
    return kinds.first { bytes.starts(with: $0.beginning.utf8) }?.account
      ?? (isSaid ? "x-access-token" : nil)
  }
}
