/// A keychain of the search list.
///
/// Each kind has one keychain that needs no listing and has the kind's name: `file`, `secret-service` and `forwarded`.
/// All others get a name and a place by being listed.
package struct ListedKeychain: Hashable, Sendable {
  /// A setting of a keychain, such as `identity=/home/alice/key.txt`.
  package struct Option: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Its name; see ``isName(_:)``.
  package let name: String
  package let kind: KeychainKind
  /// Where it is: a folder, or an address. Empty for a built-in one.
  package let place: String
  /// Its settings, in the order in which they were given.
  package let options: [Option]

  package init(_ name: String, _ kind: KeychainKind, at place: String, _ options: [Option] = []) {
    self.name = name
    self.kind = kind
    self.place = place
    self.options = options
  }

  package init(builtIn kind: KeychainKind) {
    self.init(kind.rawValue, kind, at: "")
  }

  /// The place for people, without the login in a repository's address. To ssh that is part of the address.
  package var shownPlace: String {
    guard kind.hasRepository, !place.hasPrefix("ssh:"),
      let end = place.utf8.firstIndex(of: UInt8(ascii: ":")),
      place[end...].hasPrefix("://")
    else { return place }
    let start = place.utf8.index(end, offsetBy: 3)
    let authority = place.utf8[start...].prefix { $0 != UInt8(ascii: "/") }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return place }
    return String(place[..<start]) + String(place[place.utf8.index(after: at)...])
  }

  package var isBuiltIn: Bool { name == kind.rawValue }

  /// The longest name, in bytes: folders have it, too, and references contain it.
  package static let maximumName = 64

  /// Whether a text can be a keychain's name: a small letter or digit, then up to 63 of these, `.`, `-` or `_`. So it
  /// is no option, path or URL.
  package static func isName(_ text: String) -> Bool {
    func isPlain(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte || 0x30...0x39 ~= byte }
    guard let first = text.utf8.first, isPlain(first), text.utf8.count <= maximumName else { return false }
    return text.utf8.allSatisfy { isPlain($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }
  }

  package func value(of option: String) -> String? { options.first { $0.name == option }?.value }
}
