import Bytes
import CredentialProtocols
import Keychain

struct EntryAddress {
  enum Rule {
    /// The login is for the server, and the path belongs to a page.
    case page
    /// The login is for the path.
    case path
    /// No login answers there.
    case note
  }

  let text: ByteString
  var rule = Rule.page
}

struct LoginEntry: ~Copyable {
  var name: ByteString = ""
  var addresses: [EntryAddress] = []
  var account: ByteString = ""
  var secret = Secret()
  var itemDescription: ByteString? = nil
  var comment: ByteString? = nil
  /// The secret of one-time codes, in any form accepted by ``OneTimeCodeURL``; empty if there is none.
  var oneTimeCode = Secret()
  var tags: [ByteString] = []
  /// A person's own fields that the source shows.
  var fields: [(name: ByteString, value: ByteString)] = []
  /// The fields that the source hides, or doesn't say. Each is added by `addField`.
  var secretFields = TextMembersBuilder()
  var creationDate: Timestamp? = nil
  var modificationDate: Timestamp? = nil
  /// After this, programs don't get it.
  var expiry: Timestamp? = nil
  /// Our own export's additional fields.
  var own = OwnFields()
}

extension FoundLogins {
  /// Adds an entry: an internet password for each place among its addresses, or else a generic password under its name.
  /// Each keeps the addresses that are no place.
  mutating func take(_ login: borrowing LoginEntry, of entry: inout SourceEntry) {
    let further = login.further(leaving: &entry)
    let notes = login.notes(leaving: &entry)
    var places: [EntryPlace] = []
    var others: [ByteString] = []
    for address in login.addresses where !address.text.isEmpty {
      let place = address.rule == .note ? nil : EntryPlace(address)
      // That has no room, and an address with a password is confidential.
      let rest = address.text.leftBehind(besides: login.account.nonEmpty ?? place?.account)
      if let rest { entry.add(ByteString(rest), .part) }
      if let place {
        places.append(place)
      } else if rest == nil, !others.contains(address.text) {
        others.append(address.text)
      }
    }
    if login.secret.isEmpty, login.own.isEmpty, further.isEmpty {
      return passOver(entry.origin, .noSecret)
    }
    func credential() -> Credential {
      var credential = Credential(login.secret.copy(), expiry: login.expiry?.seconds)
      credential.further = further.copy()
      return credential
    }
    var targets: [EntryTarget] = []
    var indices: [InternetPassword: Int] = [:]
    // Somebody may have changed the address since our own export wrote the place.
    if let key = login.own.place(account: login.account),
      places.isEmpty || places.contains(where: { $0.is(key) })
    {
      places.removeAll { $0.is(key) }
      indices[key.primaryKey] = 0
      targets.append(EntryTarget(key: key))
    } else if let place = login.own["place"] {
      others.append(place)
    }
    for place in places {
      let key = place.place.key(account: login.account.nonEmpty ?? place.account, for: nil)
      let index = indices[key.primaryKey] ?? targets.count
      if index == targets.count {
        indices[key.primaryKey] = index
        targets.append(EntryTarget(key: key, page: place.page))
      }
      if place.hasMore { targets[index].addresses.append(place.address) }
    }
    for target in targets {
      take(
        login.item(.internetPassword(target.key), others + target.addresses, notes), credential(), of: entry,
        page: target.page)
    }
    if !targets.isEmpty { return }
    guard let service = login.own["service"] ?? login.name.nonEmpty ?? others.first else {
      return passOver(entry.origin, .noPlace)
    }
    let key = GenericPassword(service: service, account: login.account.nonEmpty)
    take(login.item(.genericPassword(key), others, notes), credential(), of: entry, page: nil)
  }
}

extension LoginEntry {
  /// The further confidential parts. Those that don't fit are left in the entry.
  fileprivate borrowing func further(leaving entry: inout SourceEntry) -> FurtherSecrets {
    var further = FurtherSecrets()
    if !secretFields.isEmpty { further.takeFields(secretFields) }
    if !oneTimeCode.isEmpty {
      let url = oneTimeCode.withUnsafeBytes { OneTimeCodeURL.normal($0) }
      switch url {
      case .none: entry.add("one-time code", .part)
      case .some(let url): further.oneTimeCode = url.copy()
      }
    }
    return further
  }

  /// An item with everything that doesn't depend on its place, and no key yet. Parts that are too long are left in the
  /// entry.
  fileprivate borrowing func notes(leaving entry: inout SourceEntry) -> Item {
    var item = Item(GenericPassword(service: ""))
    item.itemDescription = itemDescription
    if let comment, comment.bytes.count > ItemBounds.attribute {
      entry.add("notes", .part)
    } else {
      item.comment = comment.nonEmpty
    }
    let marks = entry.takeMarks()
    for name in item.addFields(fields + marks.fields) { entry.add(name, .part) }
    item.tags = (tags + marks.tags).filter { !$0.isEmpty }.map {
      ByteString($0.bytes.map { $0 == 0x0a ? 0x20 : $0 })
    }
    item.creationDate = creationDate
    item.modificationDate = modificationDate
    return item
  }

  /// The item with a key, without a name that just repeats the key.
  fileprivate borrowing func item(_ key: Item.Key, _ addresses: [ByteString], _ notes: Item) -> Item {
    var item = notes
    item.key = key
    for address in addresses where ByteString(key.place) != address { item.addAddress(address) }
    own.apply(to: &item)
    item.label = [ByteString(item.key.place), ByteString(item.key.name)].contains(name) ? nil : name.nonEmpty
    // Share the bytes: browsers name a login by its server.
    if case .internetPassword(let key) = item.key, key.server == item.label { item.label = key.server }
    return item
  }
}

private struct EntryTarget {
  let key: InternetPassword
  var page: ByteString? = nil
  /// Its addresses that are no place.
  var addresses: [ByteString] = []
}

private struct EntryPlace {
  let place: Place
  let account: ByteString?
  /// The address without user name and password.
  let address: ByteString
  /// Whether it has a query, a fragment or the like, which are in no place.
  let hasMore: Bool
  /// The address if its path is that of a page.
  let page: ByteString?

  func `is`(_ key: InternetPassword) -> Bool {
    place.key(account: key.account, for: key.securityDomain).primaryKey == key.primaryKey
  }

  /// - Returns: `nil` if it names none.
  init?(_ address: EntryAddress) {
    let text = address.text.trimmed
    guard let (server, account) = Place.ofServer(in: text) else { return nil }
    let authority = text.authority
    let end =
      text.bytes[authority.upperBound...].firstIndex { [0x3f, 0x23, 0x5c].contains($0) }
      ?? text.bytes.endIndex
    let whole = try? Place.parse(ByteString(Array(text.bytes[..<end])), assuming: "https").place
    place = whole ?? server
    self.account = account
    self.address = text.withoutUserInformation
    hasMore = end < text.bytes.endIndex || whole == nil
    page = address.rule == .page && place.path != nil ? self.address : nil
  }
}

extension Place {
  /// Protocols of servers' passwords, besides those with a known default port.
  private static let furtherProtocols: [ByteString] = [
    "afp", "amqp", "amqps", "dav", "davs", "irc", "ircs", "mongodb", "mqtt", "mqtts", "mysql", "nfs",
    "postgres",
    "postgresql", "rdp", "redis", "rediss", "rsync", "smb", "telnet", "vnc", "ws", "wss", "xmpp",
  ]

  /// The server and account in an address; `nil` if it is of something else, such as a phone app.
  ///
  /// - Parameter address: a URL, or a host name with further parts of a URL, which is then assumed to be https.
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

extension Item {
  /// Whether an attribute contains a URL with a password.
  var hasPasswordInURL: Bool {
    let service: ByteString? = if case .genericPassword(let key) = key { key.service } else { nil }
    return ([service, label].compactMap { $0 } + addresses).contains(where: \.hasPasswordInURL)
  }
}

extension ByteString {
  /// Whether an address is a server's, so that its login is for that server. Other addresses are kept with the item.
  package var isAddressOfServer: Bool { Place.ofServer(in: self) != nil }

  /// Names the part before an address's `@` that an item has no room for; `nil` if there is none.
  ///
  /// In the address of an app that part is a hash, not a user name.
  ///
  /// - Parameter account: the item's account.
  func leftBehind(besides account: ByteString?) -> String? {
    if hasPasswordOfAddress { return "password in the URL" }
    guard let name = Place.ofServer(in: self)?.account, name != account else { return nil }
    return "user name in the URL"
  }

  /// Whether this address has a password before its `@`.
  var hasPasswordOfAddress: Bool {
    let text = trimmed
    // A character in its password may be the only reason why it is no server's.
    let end = Place.ofServer(in: text) == nil ? text.bytes.endIndex : text.authority.upperBound
    let part = text.bytes[text.authority.lowerBound..<end]
    guard let at = part.lastIndex(of: UInt8(ascii: "@")),
      let colon = part[..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
    else { return false }
    // Those have an address for mail or calls, and no authority (RFC 6068, RFC 3261).
    return part.startIndex > 0
      || !Self.schemesOfPersons.contains(ByteString(Array(part[..<colon])).lowercased)
      || part[(colon + 1)..<at].contains(UInt8(ascii: ":"))
  }

  /// Whether it contains a URL with a password before its `@`.
  fileprivate var hasPasswordInURL: Bool {
    bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) } && hasPasswordOfAddress
  }

  private static let schemesOfPersons: [ByteString] = ["acct", "mailto", "sip", "sips", "xmpp"]

  /// The address without the part before its server's `@`.
  var withoutUserInformation: ByteString {
    let part = authority
    guard let at = bytes[part].lastIndex(of: UInt8(ascii: "@")) else { return self }
    return ByteString(Array(bytes[..<part.lowerBound]) + Array(bytes[(at + 1)...]))
  }

  /// The part of an address between its scheme and its path, from 0 if there is no scheme.
  fileprivate var authority: Range<Int> {
    let marker = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }
    let start = marker.map { $0 + 3 } ?? 0
    // A query or a fragment belongs to the page, like the path. Browsers treat a backslash as a slash, so an address
    // could be made to look like another server's (WHATWG URL, "authority state").
    let end = bytes[start...].firstIndex { [0x2f, 0x3f, 0x23, 0x5c].contains($0) } ?? bytes.endIndex
    return start..<end
  }

  /// The text itself; `nil` if it is empty.
  var nonEmpty: ByteString? { isEmpty ? nil : self }

  var trimmed: ByteString {
    bytes.withUnsafeBytes { ByteString($0.trimmedSlice) }
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

  /// Whether it looks like a host written without a scheme: it has a dot, a port or brackets, or is `localhost`.
  fileprivate var isLikelyHost: Bool {
    guard let host = HostAndPort(parsing: self), host.server.canBeServer else { return false }
    return host.port != nil || host.server == "localhost" || bytes.first == UInt8(ascii: "[")
      || host.server.bytes.dropFirst().dropLast().contains(UInt8(ascii: "."))
  }
}
