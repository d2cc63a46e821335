import Keychain
import TestSupport

@testable import SecretService

/// Random items, many of which differ only in what is easily confused.
enum ConfusableItems {
  private static let servers: [ByteString] = [
    "github.com", "GitHub.com", "::1", "FE80::1", "[", "[]", "[x]", "a:", "host %", "", "e\u{301}", "\u{e9}",
  ]
  private static let protocols: [ByteString] = ["https", "HTTPS", "http", "ssh", "cert", "x-Odd", "\u{e9}"]
  private static let texts: [ByteString] = [
    "", "alice", "Alice", "a b", "acme/app.git", "=", "llavero:base64:user", "%00", "[]", "YQ==", "e\u{301}",
    "\u{e9}", "\u{fffd}",
  ]

  /// A valid attribute of a key: without line ends and NUL.
  static func attribute(_ numbers: inout SeededGenerator) -> ByteString {
    if numbers.number(in: 0..<4) > 0 { return numbers.pick(texts) }
    return ByteString(numbers.bytes(numbers.number(in: 1..<8)).filter { ![0, 10, 13].contains($0) })
  }

  private static func optional(
    _ numbers: inout SeededGenerator, _ make: (inout SeededGenerator) -> ByteString
  ) -> ByteString? {
    numbers.number(in: 0..<3) == 0 ? nil : make(&numbers)
  }

  /// A key that every keychain accepts.
  static func key(_ numbers: inout SeededGenerator) -> Item.Key {
    let group = numbers.number(in: 0..<4) == 0 ? attribute(&numbers) : nil
    let isSynchronizable = numbers.number(in: 0..<8) == 0
    if numbers.number(in: 0..<8) == 0 {
      return .cryptographic(
        CryptographicItem(
          numbers.pick(CryptographicItem.Kind.allCases),
          ["slnr": ByteString(numbers.bytes(numbers.number(in: 0..<9))), "atag": attribute(&numbers)],
          accessGroup: group, isSynchronizable: isSynchronizable))
    }
    if numbers.number(in: 0..<4) == 0 {
      let service = attribute(&numbers)
      return .genericPassword(
        GenericPassword(
          service: service.isEmpty ? "service" : service, account: optional(&numbers, attribute),
          accessGroup: group, isSynchronizable: isSynchronizable))
    }
    var key = InternetPassword(
      protocol: numbers.pick(protocols),
      server: numbers.number(in: 0..<4) == 0 ? attribute(&numbers) : numbers.pick(servers),
      port: numbers.pick([nil, nil, 1, 22, 443, 8443, 65535]), account: optional(&numbers, attribute),
      path: optional(&numbers, attribute),
      securityDomain: numbers.pick([nil, nil, "docker", "cargo", ByteString([0xff])]),
      authenticationType: numbers.pick([nil, nil, "dflt", ByteString([0x80])]), accessGroup: group,
      isSynchronizable: isSynchronizable)
    if key.server == nil, key.path == nil { key.path = "keys/id" }
    return .internetPassword(key)
  }

  /// An item that every keychain accepts.
  static func item(_ numbers: inout SeededGenerator) -> Item {
    func note(_ numbers: inout SeededGenerator) -> ByteString? {
      optional(&numbers) { numbers in
        numbers.number(in: 0..<3) == 0
          ? ByteString(numbers.bytes(numbers.number(in: 0..<6))) : attribute(&numbers)
      }
    }
    var item = Item(
      key(&numbers), label: note(&numbers), comment: note(&numbers), itemDescription: note(&numbers),
      creator: note(&numbers), type: note(&numbers), isDefault: numbers.number(in: 0..<2) == 0)
    for tag in ["gena", "invi", "pdmn"] as [ByteString] { item.furtherAttributes[tag] = note(&numbers) }
    return item
  }

  /// A query that an item with the key answers.
  static func query(for key: Item.Key, _ numbers: inout SeededGenerator) throws -> ItemQuery {
    func recased(_ text: ByteString, _ numbers: inout SeededGenerator) -> ByteString {
      switch numbers.number(in: 0..<3) {
      case 0: text
      case 1: text.lowercased
      default: ByteString(text.bytes.map { 0x61...0x7a ~= $0 ? $0 & 0xdf : $0 })
      }
    }
    switch key {
    case .cryptographic, .secretService: return .criteria(ItemCriteria(key))
    case .genericPassword(let key):
      return .genericPassword(
        try GenericPasswordQuery(
          service: key.service, account: numbers.number(in: 0..<2) == 0 ? nil : key.account))
    case .internetPassword(let key):
      var path = numbers.number(in: 0..<2) == 0 ? nil : key.path
      if let whole = path, numbers.number(in: 0..<2) == 0 {
        path = ByteString(whole.bytes + Array("/x".utf8))
      }
      if key.server == nil { path = key.path }
      return .internetPassword(
        try InternetPasswordQuery(
          protocol: recased(key.protocol, &numbers), server: key.server.map { recased($0, &numbers) },
          port: numbers.number(in: 0..<2) == 0 ? key.port : key.effectivePort,
          account: numbers.number(in: 0..<2) == 0 ? nil : key.account, path: path,
          securityDomain: key.securityDomain))
    }
  }
}
