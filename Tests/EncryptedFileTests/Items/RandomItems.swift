import Keychain
import TestSupport

/// Random items that are more alike and stranger than real ones.
enum RandomItems {
  static let protocols: [ByteString] = ["https", "http", "HTTPS", "ssh", "imap", "x-odd"]

  static func servers(_ numbers: inout SeededGenerator) -> ByteString {
    switch Int.random(in: 0..<8, using: &numbers) {
    case 0: "github.com"
    case 1: "GitHub.com"
    case 2: ByteString("host\(Int.random(in: 0..<300, using: &numbers)).example")
    case 3: ByteString("a" + String(repeating: "b", count: Int.random(in: 0..<6, using: &numbers)))
    case 4: ByteString(String(repeating: "long.", count: 40) + "\(Int.random(in: 0..<50, using: &numbers))")
    case 5: ByteString(numbers.bytes(Int.random(in: 1...3, using: &numbers)).map { $0 | 0x80 })
    case 6: ByteString("host \(Int.random(in: 0..<50, using: &numbers))%")
    default: "::1"
    }
  }

  static func text(_ numbers: inout SeededGenerator) -> ByteString? {
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0: nil
    case 1: ""
    case 2: ByteString("user\(Int.random(in: 0..<1000, using: &numbers))")
    case 3: ByteString(numbers.bytes(5).map { $0 == 0 || $0 == 10 || $0 == 13 ? 0xff : $0 })
    case 4:
      ByteString(["%", "\"", "\\", " ", "!", "#", "~", "a b", "%25"].randomElement(using: &numbers) ?? "%")
    default:
      ByteString(
        String(repeating: "common/", count: 8) + String(Int.random(in: 0..<200, using: &numbers)))
    }
  }

  static func key(_ numbers: inout SeededGenerator) -> Item.Key {
    let group = Int.random(in: 0..<6, using: &numbers) == 0 ? text(&numbers) : nil
    let isSynchronizable = Int.random(in: 0..<10, using: &numbers) == 0
    switch Int.random(in: 0..<16, using: &numbers) {
    case 0, 1:
      return .genericPassword(
        GenericPassword(
          service: ByteString("aws:\(Int.random(in: 0..<400, using: &numbers))"), account: text(&numbers),
          accessGroup: group, isSynchronizable: isSynchronizable))
    case 3 where Bool.random(using: &numbers):
      let kind = SecretServiceItem.Kind.allCases.randomElement(using: &numbers) ?? .item
      return .secretService(SecretServiceItem(kind, name: servers(&numbers)))
    case 2:
      var attributes: FurtherAttributes = ["slnr": ByteString(numbers.bytes(3))]
      attributes["atag"] = text(&numbers)
      return .cryptographic(
        CryptographicItem(
          CryptographicItem.Kind.allCases.randomElement(using: &numbers) ?? .key, attributes,
          accessGroup: group, isSynchronizable: isSynchronizable))
    default: break
    }
    return .internetPassword(
      InternetPassword(
        protocol: protocols.randomElement(using: &numbers) ?? "https", server: servers(&numbers),
        port: [nil, nil, 443, 80, 8443].randomElement(using: &numbers) ?? nil, account: text(&numbers),
        path: text(&numbers),
        securityDomain: [nil, nil, nil, "docker"].randomElement(using: &numbers) ?? nil,
        accessGroup: group, isSynchronizable: isSynchronizable))
  }

  static func query(_ numbers: inout SeededGenerator) throws -> ItemQuery {
    try query(for: key(&numbers), &numbers)
  }

  /// A query that the key may answer.
  static func query(for key: Item.Key, _ numbers: inout SeededGenerator) throws -> ItemQuery {
    switch key {
    case .cryptographic, .secretService: return .criteria(ItemCriteria(key))
    case .genericPassword(let key):
      return .genericPassword(
        try GenericPasswordQuery(
          service: key.service, account: Bool.random(using: &numbers) ? key.account : nil))
    case .internetPassword(let key):
      return .internetPassword(
        try InternetPasswordQuery(
          protocol: key.protocol, server: key.server, port: key.port,
          account: Bool.random(using: &numbers) ? key.account : nil,
          path: Bool.random(using: &numbers) ? key.path : nil, securityDomain: key.securityDomain))
    }
  }

  /// Adds different items in a single write, and returns them with their secrets.
  @discardableResult
  static func fill(
    _ keychain: any KeychainStore, _ count: Int, _ numbers: inout SeededGenerator
  ) throws -> [(item: Item, secret: String)] {
    var seen: Set<Item.Key> = []
    var new: [(item: Item, secret: String)] = []
    while new.count < count {
      let key = key(&numbers)
      guard seen.insert(key.primaryKey).inserted else { continue }
      let large = Int.random(in: 0..<900, using: &numbers) == 0
      let label = large ? ByteString(numbers.bytes(60_000)) : text(&numbers)
      new.append((Item(key, label: label), "secret \(new.count)"))
    }
    var added: [(item: Item, secret: String)] = []
    try keychain.exclusively { () throws(KeychainError) in
      for (item, secret) in new {
        added.append((try keychain.add(item, Credential(password: secret)), secret))
      }
    }
    return added
  }
}
