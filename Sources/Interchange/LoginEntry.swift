import CredentialProtocols
import Keychain

/// An entry of a password manager: a name, possibly the addresses of login pages, an account and a password.
struct LoginEntry: ~Copyable {
  var name: ByteString = ""
  var urls: [ByteString] = []
  var account: ByteString? = nil
  var secret = Secret()
  var leftBehind: [String] = []
  var creationDate: Timestamp? = nil
  var modificationDate: Timestamp? = nil
}

extension FoundLogins {
  /// Adds an entry: an internet password for each server among its addresses, or else a generic password under its
  /// name.
  ///
  /// The path of an address is dropped, because it belongs to a page and not to what the password is for.
  mutating func take(_ entry: borrowing LoginEntry, at origin: Origin, removals: [Removal]) {
    if entry.secret.isEmpty { return passOver(origin, .noSecret) }
    let label = entry.name.isEmpty ? nil : entry.name
    let places = entry.places
    var leftBehind = entry.leftBehind
    for url in entry.urls {
      let place = Place.ofServer(in: url)?.place
      let account = entry.account.nonEmpty ?? places.first { $0.place == place }?.account
      let word = url.leftBehind(besides: account) ?? (place == nil && url.isOfWebPage ? "address" : nil)
      if let word, !leftBehind.contains(word) { leftBehind.append(word) }
    }
    for (place, account) in places {
      let key = place.key(account: entry.account.nonEmpty ?? account, for: nil)
      take(Item(.internetPassword(key), label: label), of: entry, at: origin, removals, leftBehind)
    }
    if !places.isEmpty { return }
    guard let service = label ?? entry.urls.first else { return passOver(origin, .noPlace) }
    take(
      Item(GenericPassword(service: service, account: entry.account.nonEmpty)), of: entry, at: origin,
      removals, leftBehind)
  }

  private mutating func take(
    _ item: Item, of entry: borrowing LoginEntry, at origin: Origin, _ removals: [Removal],
    _ leftBehind: [String]
  ) {
    var item = item
    item.creationDate = entry.creationDate
    item.modificationDate = entry.modificationDate
    take(
      FoundLogin(
        item, Credential(entry.secret.copy()), at: origin, removals: removals, leftBehind: leftBehind))
  }
}

extension LoginEntry {
  /// The servers of its addresses, each once.
  fileprivate var places: [(place: Place, account: ByteString?)] {
    var places: [(place: Place, account: ByteString?)] = []
    for url in urls {
      guard let found = Place.ofServer(in: url), !places.contains(where: { $0.place == found.place }) else {
        continue
      }
      places.append(found)
    }
    return places
  }
}

extension Place {
  /// Protocols for which people store passwords of servers, besides those with a known default port.
  private static let furtherProtocols: [ByteString] = [
    "afp", "amqp", "amqps", "dav", "davs", "irc", "ircs", "mongodb", "mqtt", "mqtts", "mysql", "nfs",
    "postgres",
    "postgresql", "rdp", "redis", "rediss", "rsync", "smb", "telnet", "vnc", "ws", "wss", "xmpp",
  ]

  /// The server of an address, and the account that it names. `nil` if it is the address of something else, such as a
  /// phone app.
  ///
  /// - Parameter address: a URL, or a host name with what may follow it in a URL, which is then taken as one of
  ///   https.
  static func ofServer(in address: ByteString) -> (place: Place, account: ByteString?)? {
    let text = address.trimmed
    let authority = text.authority
    let url = ByteString(Array(text.bytes[..<authority.upperBound]))
    if authority.lowerBound == 0, !url.isLikelyHost { return nil }
    guard let (place, account) = try? parse(url, assuming: "https"), place.server.canBeServer,
      InternetPassword.defaultPort(of: place.protocol) != nil || furtherProtocols.contains(place.protocol)
    else { return nil }
    return (place, account.nonEmpty)
  }
}

extension ByteString {
  /// Names what this address has before its `@` and an item has no room for; `nil` if there is nothing.
  ///
  /// The address of an app has no user name, but a hash in its place.
  ///
  /// - Parameter account: the item's.
  func leftBehind(besides account: ByteString?) -> String? {
    let text = trimmed
    let server = Place.ofServer(in: text)
    // An address may be no server's only because of a character in its password.
    let end = server == nil ? text.bytes.endIndex : text.authority.upperBound
    let part = text.bytes[text.authority.lowerBound..<end]
    if let at = part.lastIndex(of: UInt8(ascii: "@")),
      let colon = part[..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
    {
      return "a password in the URL"
    }
    guard let name = server?.account, name != account else { return nil }
    return "a user name in the URL"
  }

  /// Whether it begins as the address of a web page does, whatever follows.
  fileprivate var isOfWebPage: Bool {
    let start = ByteString(Array(trimmed.bytes.prefix(6))).lowercased.bytes
    return start.starts(with: "http:".utf8) || start.starts(with: "https:".utf8)
  }

  /// The part of an address between its scheme and its path. It begins at 0 if there is no scheme.
  fileprivate var authority: Range<Int> {
    let marker = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }
    let start = marker.map { $0 + 3 } ?? 0
    // A query or a fragment belongs to the page as the path does. Browsers take a backslash for a slash, and whoever made
    // the address may want it to be taken for another server's (WHATWG URL, "authority state").
    let end = bytes[start...].firstIndex { [0x2f, 0x3f, 0x23, 0x5c].contains($0) } ?? bytes.endIndex
    return start..<end
  }

  /// The same bytes without surrounding white space.
  var trimmed: ByteString {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }
    var rest = bytes[...].drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return ByteString(Array(rest))
  }

  /// Whether it contains only characters of a host name or address.
  var canBeServer: Bool {
    !isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...0xff: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"): true
        default: false
        }
      }
  }

  /// Whether it looks like a host written without a scheme: it has a dot, a port or brackets, or is
  /// `localhost`.
  fileprivate var isLikelyHost: Bool {
    guard let host = HostAndPort(parsing: self), host.server.canBeServer else { return false }
    return host.port != nil || host.server == "localhost" || bytes.first == UInt8(ascii: "[")
      || host.server.bytes.dropFirst().dropLast().contains(UInt8(ascii: "."))
  }
}
