import Bytes
import CredentialProtocols
package import Keychain

/// Why a rule is invalid.
package enum RuleFault: Error, Equatable, Sendable {
  /// It doesn't begin with `allow`, `ask` or `deny`.
  case verdict
  /// The host is missing, or neither a name nor `SHA256:…` nor `socket:NAME`.
  case host
  /// The place is missing, or neither `*` nor a URL nor `service:NAME`.
  case place
  /// A word after the place is unknown, occurs twice, or has no value.
  case word(ByteString)
  /// `until=` without a time as in RFC 3339.
  case time
  /// `deny` with `write`.
  case denyWrite
  /// A control character, or more than 4096 bytes.
  case bytes

  package var text: String {
    switch self {
    case .verdict: "it has to begin with allow, ask or deny"
    case .host:
      "the host has to be a name of known_hosts, SHA256: and a key's fingerprint, or socket: and a name"
    case .place: "the place has to be *, a URL without an account, or service: and a name"
    case .word(let word): "'\(word)' is unknown, empty or there twice"
    case .time: "until= needs a time such as 2027-01-31T18:00:00Z"
    case .denyWrite: "a rule with deny can't have write"
    case .bytes: "it has a control character, or more than \(ForwardingRule.maximumSize) bytes"
    }
  }
}

// The text of a rule: VERDICT HOST PLACE [tool=NAME] [account=NAME] [exact] [write] [until=TIME], separated by blanks.
// In place, tool and account, %XX stands for a byte.

extension ForwardingRule {
  /// The longest rule, in bytes.
  package static let maximumSize = 4096

  package init(parsing line: UnsafeRawBufferPointer) throws(RuleFault) {
    guard line.count <= Self.maximumSize, line.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7f }) else {
      throw .bytes
    }
    let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).map { ByteString(Array($0)) }
    guard let verdict = words.first?.text.flatMap({ Verdict(rawValue: $0) }) else { throw .verdict }
    guard words.count > 1, let host = ForwardedHost(parsing: words[1]) else { throw .host }
    guard words.count > 2, let place = PlacePattern(parsing: words[2]) else { throw .place }
    self.init(verdict, host, place)
    for word in words.dropFirst(3) { try take(word) }
    if verdict == .deny, mayChange { throw .denyWrite }
  }

  /// Whether the rule survives conversion to text and back.
  package var canBeRead: Bool {
    Array(text.utf8).lendingBytes { line in (try? ForwardingRule(parsing: line)) == self }
  }

  private mutating func take(_ word: ByteString) throws(RuleFault) {
    if word == "exact", !isExact {
      isExact = true
      return
    }
    if word == "write", !mayChange {
      mayChange = true
      return
    }
    guard let equals = word.bytes.firstIndex(of: UInt8(ascii: "=")),
      let value = decoded(word.bytes[(equals + 1)...]), !value.isEmpty
    else { throw .word(word) }
    switch ByteString(Array(word.bytes[..<equals])) {
    case "tool" where tool == nil: tool = value
    case "account" where account == nil: account = value
    case "until" where end == nil:
      guard let time = value.bytes.lendingBytes({ Timestamp(rfc3339: $0) }) else { throw .time }
      end = time
    default: throw .word(word)
    }
  }

  /// The rule as a line without a line feed; parsing it gives an equal rule.
  package var text: String {
    var words = [verdict.rawValue, host.description, place.text]
    if let tool { words.append("tool=" + PercentEncoding.text(tool)) }
    if let account { words.append("account=" + PercentEncoding.text(account, keeping: "@+")) }
    if isExact { words.append("exact") }
    if mayChange { words.append("write") }
    if let end { words.append("until=\(end)") }
    return words.joined(separator: " ")
  }
}

extension ForwardedHost {
  /// Parses a host in a rule; `nil` if it is invalid.
  package init?(parsing word: ByteString) {
    let socket = Array("socket:".utf8)
    let fingerprint = Array("SHA256:".utf8)
    if word.bytes.starts(with: socket) {
      let name = ByteString(Array(word.bytes.dropFirst(socket.count)))
      guard Self.isSocketName(name) else { return nil }
      self = .socket(name)
    } else if word.bytes.starts(with: fingerprint) {
      var digest: [UInt8] = []
      let text = Array(word.bytes.dropFirst(fingerprint.count))
      guard text.count <= 64, text.lendingBytes({ Base64.decode(line: $0, appendingTo: &digest) }),
        digest.count == 32
      else { return nil }
      self = .key(word)
    } else {
      // These marks in other letters are no names either: known_hosts has names in lower case.
      let marks = [socket, fingerprint.map { $0 | 0x20 }]
      guard let name = HostName(word), !name.name.bytes.contains(UInt8(ascii: "/")),
        !marks.contains(where: { name.name.bytes.starts(with: $0) })
      else { return nil }
      self = .name(name)
    }
  }

  /// Whether a socket may have this name: 1 to 64 letters, digits, dots, dashes and underscores, not beginning with a
  /// dot. It is also the name of a folder.
  package static func isSocketName(_ name: ByteString) -> Bool {
    1...64 ~= name.bytes.count && name.bytes.first != UInt8(ascii: ".")
      && name.bytes.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
      }
  }
}

extension PlacePattern {
  private static let serviceMark: StaticString = "service:"

  /// Parses a place in a rule; `nil` if it is invalid, or could not be written again.
  package init?(parsing word: ByteString) {
    guard let place = PlacePattern(reading: word) else { return nil }
    guard PlacePattern(reading: ByteString(place.text)) == place else { return nil }
    self = place
  }

  private init?(reading word: ByteString) {
    if word == "*" {
      self = .everywhere
      return
    }
    let mark = Self.serviceMark.bytes
    if word.bytes.starts(with: mark) {
      guard let service = decoded(word.bytes[mark.count...]), !service.isEmpty else { return nil }
      self = .service(service)
      return
    }
    let place = word.bytes.lendingBytes { (bytes) -> PlacePattern? in
      guard let url = try? CredentialURL(parsing: bytes), url.account == nil, url.hasScheme,
        !bytes.contains(UInt8(ascii: "?")), !bytes.contains(UInt8(ascii: "#")),
        let host = HostAndPort(parsing: url.host), !host.server.isEmpty,
        // A path covers everything below it, and has no wildcards.
        !(bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(3).drop { $0 != UInt8(ascii: "/") }.contains(
          UInt8(ascii: "*"))),
        !host.server.bytes.contains(UInt8(ascii: "?")), host.server.isAddress || !host.server.hasColon
      else { return nil }
      let `protocol` = url.protocol.lowercased
      let port = InternetPassword.furtherPort(host.port, of: `protocol`)
      return .internet(protocol: `protocol`, server: host.server.lowercased, port: port, path: url.path)
    }
    guard let place else { return nil }
    self = place
  }

  package var text: String {
    switch self {
    case .everywhere: return "*"
    case .service(let name): return "service:" + PercentEncoding.text(name, keeping: "*?:/@+")
    case .internet(let `protocol`, let server, let port, let path):
      var text = "\(`protocol`)://"
      text += server.isAddress ? "[\(server)]" : PercentEncoding.text(server, keeping: "*+")
      if let port { text += ":\(port)" }
      if let path { text += "/" + PercentEncoding.text(path, keeping: "/+") }
      return text
    }
  }
}

extension ByteString {
  fileprivate var hasColon: Bool { bytes.contains(UInt8(ascii: ":")) }

  /// Whether it may be an IPv6 address (RFC 4291, section 2.2).
  fileprivate var isAddress: Bool {
    hasColon
      && bytes.allSatisfy {
        $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || hexadecimalValue($0) != nil
      }
  }
}

/// Decodes the escapes of RFC 3986, section 2.1; `nil` if one is malformed, or stands for a byte that no attribute may
/// contain.
private func decoded(_ text: ArraySlice<UInt8>) -> ByteString? {
  guard let bytes = PercentEncoding.decoded(text) else { return nil }
  return bytes.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d } ? nil : ByteString(bytes)
}
