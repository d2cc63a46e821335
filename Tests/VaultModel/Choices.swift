import Keychain
import TestSupport

/// Random choices for items: keys that are prefixes of each other or need escapes, and sizes around the chunks in which
/// a vault is read.
struct Choices {
  var generator: SeededGenerator
  /// For what was added later, so that recorded sequences stay what they were.
  private var addition: SeededGenerator
  /// The size of this sequence's items: 0 for only small ones.
  let scale: Int

  init(_ entropy: UInt64, scale: Int) {
    generator = SeededGenerator(seed: entropy)
    addition = SeededGenerator(seed: ~entropy)
    self.scale = scale
  }

  mutating func chance(_ one: Int) -> Bool { generator.number(in: 0..<one) == 0 }

  mutating func index(_ count: Int) -> Int { generator.number(in: 0..<max(1, count)) }

  private static let servers: [ByteString?] = [
    "a", "ab", "a.b", "a.b.example", "A.B.example", "example.com", "example.co", "example.com.", "xn--e1a",
    "a%b", "a\"b",
    "a\\b", "a b", "::1", "[", nil,
  ]
  private static let accounts: [ByteString?] = [
    nil, "", "u", "u ", "u v", "u%20v", "%", "%@", "%1", "ü", "u\"", "uu", ByteString([0xff, 0x80]),
    "u\u{202e}v", "old",
  ]
  private static let paths: [ByteString?] = [
    nil, nil, nil, "p", "p/q", "p q", "p%", "%1", "/home/a/c.pem",
    ByteString(Array(repeating: 0x78, count: 300)),
  ]
  private static let protocols: [ByteString] = ["https", "HTTPS", "http", "ssh", "cert", "imap", "x"]
  private static let ports: [UInt16?] = [nil, nil, nil, 443, 80, 22, 8443, 1, 65535]
  private static let domains: [ByteString?] = [nil, nil, nil, nil, "docker", "cargo", "d c"]

  /// A key, one of so few that sequences use them again.
  mutating func key() -> Item.Key {
    let isLong = scale > 1 && chance(60)
    switch generator.number(in: 0..<20) {
    case 0...13:
      var key = InternetPassword(
        protocol: generator.pick(Self.protocols), server: generator.pick(Self.servers),
        port: generator.pick(Self.ports), account: generator.pick(Self.accounts),
        path: isLong ? longText() : generator.pick(Self.paths), securityDomain: generator.pick(Self.domains),
        authenticationType: chance(12) ? "dflt" : nil, accessGroup: chance(20) ? "g r" : nil,
        isSynchronizable: chance(20))
      if key.server == nil, key.path == nil { key.path = "p" }
      return .internetPassword(key)
    case 14...17:
      return .genericPassword(
        GenericPassword(
          service: generator.pick(["s", "st", "s t", "aws:default", "s%", ""]),
          account: generator.pick(Self.accounts),
          accessGroup: chance(20) ? "g" : nil, isSynchronizable: chance(20)))
    case 18 where addition.number(in: 0..<2) == 0:
      return .secretService(
        SecretServiceItem(
          addition.pick(SecretServiceItem.Kind.allCases),
          name: addition.pick(["n", "nn", "n n", "%", "login", "ü"])))
    default:
      return .cryptographic(
        CryptographicItem(
          generator.pick(CryptographicItem.Kind.allCases),
          generator.pick([
            ["slnr": "1"], ["slnr": "12"], ["ctyp": "1", "slnr": "1"], ["atag": "", "klbl": "x%,y"],
          ]),
          accessGroup: chance(4) ? "g" : nil))
    }
  }

  /// Keys that are adjacent in a sorted vault.
  mutating func neighbouringKey() -> Item.Key {
    .internetPassword(
      InternetPassword(
        protocol: "https", server: generator.pick(["a", "ab", "b"]),
        account: generator.pick(["u", "v", nil]),
        path: generator.pick([nil, nil, "p"])))
  }

  /// One of a few hundred similar keys.
  mutating func numberedKey(_ number: Int) -> Item.Key {
    .internetPassword(
      InternetPassword(protocol: "https", server: ByteString("host\(number).example.com"), account: "user"))
  }

  /// A long text for a key, which is also the beginning of others.
  private mutating func longText() -> ByteString {
    let size = generator.pick([2000, 20_000, 60_000, 65_000, 65_534])
    return ByteString(Array(repeating: UInt8(ascii: "k"), count: size - generator.number(in: 0..<3)))
  }

  mutating func item(_ key: Item.Key) -> Item {
    var item = Item(key)
    item = attributes(of: item)
    return item
  }

  mutating func attributes(of item: Item) -> Item {
    var item = item
    if chance(3) { item.label = text() }
    if chance(2) { item.comment = text() }
    if chance(6) { item.itemDescription = text() }
    if chance(8) { item.creator = generator.pick(["llav", "", "\u{1}\n\"\\"]) }
    if chance(8) { item.type = "note" }
    if chance(6) { item.isDefault.toggle() }
    if chance(10) { item.furtherAttributes["gena"] = chance(3) ? nil : text() }
    if chance(20) { item.isInvisible.toggle() }
    if addition.number(in: 0..<8) == 0 { item.secretService = secretServiceAttributes() }
    return item
  }

  private mutating func secretServiceAttributes() -> SecretServiceAttributes {
    var attributes = SecretServiceAttributes()
    if addition.number(in: 0..<2) == 0 { attributes.collection = addition.pick(["work", "n", "session"]) }
    if addition.number(in: 0..<4) == 0 {
      attributes.contentType = addition.pick(["text/plain; charset=utf8", ""])
    }
    if addition.number(in: 0..<3) > 0 {
      var lookup = LookupAttributes()
      for _ in 0..<addition.number(in: 0..<5) {
        let name = addition.pick(
          ["xdg:schema", "", "user", "user_b64", "\u{1}\"\\ü", "application"] as [ByteString])
        lookup[name] = addition.pick(["", "v", "org.gnome.keyring.Note", "\n\u{202e}é", "w"] as [ByteString])
      }
      attributes.lookup = lookup
    }
    return attributes
  }

  private mutating func text() -> ByteString? {
    if chance(4) { return nil }
    return ByteString(bytes(size(limit: ItemBounds.attribute)))
  }

  /// A number of bytes: usually small, sometimes such that the item's line is about as long as one or more chunks.
  private mutating func size(limit: Int) -> Int {
    let small = generator.number(in: 0..<60)
    if scale == 0 { return chance(8) ? generator.number(in: 0..<2000) : small }
    switch generator.number(in: 0..<100) {
    case 0...(scale == 1 ? 80 : 40): return small
    case ...88: return generator.number(in: 1000..<3000)
    case ...96: return generator.number(in: 20_000..<40_000)
    default: return min(limit, generator.number(in: 64_700..<65_540))
    }
  }

  /// Bytes that are unchanged in JSON, become longer, or become base64.
  private mutating func bytes(_ count: Int) -> [UInt8] {
    let seed = UInt8(truncatingIfNeeded: generator.next())
    let letters = (0..<26).map { UInt8(ascii: "a") + $0 }
    switch generator.number(in: 0..<8) {
    case 0: return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(seed)) }
    case 1: return (0..<count).map { $0 % 9 == 0 ? 0x0a : letters[($0 + Int(seed)) % 26] }
    case 2: return Array(String(repeating: "é\"", count: count / 3).utf8)
    default: return (0..<count).map { letters[($0 + Int(seed)) % 26] }
    }
  }

  mutating func credential(at now: Timestamp) -> Credential {
    var credential = Credential(Secret(bytes(size(limit: ItemBounds.secret))))
    if chance(5) { credential.expiry = now.seconds + Int64(generator.number(in: -100..<100_000)) }
    if chance(5) { credential.refreshToken = Secret(bytes(size(limit: ItemBounds.secret))) }
    if chance(20) { credential.authenticationScheme = "Bearer" }
    return credential
  }
}
