import Bytes

/// HMAC-SHA1 of a name with a salt, by which OpenSSH hides names in `known_hosts`. The key comes first.
package typealias HostNameHash = (_ salt: [UInt8], _ name: [UInt8]) -> [UInt8]

/// The first field of a line of `known_hosts`: patterns with `*`, `?` and `!`, or one hashed name.
package enum HostPatterns: Equatable, Sendable {
  /// Patterns in lower case. A matching one with `!` excludes the host, whatever the others do.
  case patterns([Pattern])
  /// `|1|SALT|HASH`
  case hashed(salt: [UInt8], hash: [UInt8])

  /// A name in which `*` stands for any characters, and `?` for one.
  package struct Pattern: Equatable, Sendable {
    let text: [UInt8]
    let isNegative: Bool
  }

  /// Parses the field; `nil` if it is invalid.
  package init?(_ field: UnsafeRawBufferPointer) {
    if field.first == UInt8(ascii: "|") {
      guard let hashed = Self.hashed(field) else { return nil }
      self = hashed
      return
    }
    let patterns = field.split(separator: UInt8(ascii: ",")).map { part -> Pattern in
      let isNegative = part.first == UInt8(ascii: "!")
      return Pattern(
        text: ByteString(Array(isNegative ? part.dropFirst() : part)).lowercased.bytes, isNegative: isNegative
      )
    }
    guard !patterns.isEmpty, patterns.allSatisfy({ !$0.text.isEmpty }) else { return nil }
    self = .patterns(patterns)
  }

  private static func hashed(_ field: UnsafeRawBufferPointer) -> HostPatterns? {
    let parts = field.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, parts[1].elementsEqual("1".utf8) else { return nil }
    func decoded(_ part: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
      var bytes: [UInt8] = []
      let line = UnsafeRawBufferPointer(rebasing: part)
      guard line.count <= 64, Base64.decode(line: line, padded: true, appendingTo: &bytes), bytes.count == 20
      else { return nil }
      return bytes
    }
    guard let salt = decoded(parts[2]), let hash = decoded(parts[3]) else { return nil }
    return .hashed(salt: salt, hash: hash)
  }

  package func match(_ host: HostName, _ hash: HostNameHash) -> Bool {
    switch self {
    case .hashed(let salt, let expected): return hash(salt, host.name.bytes) == expected
    case .patterns(let patterns):
      var isFound = false
      for pattern in patterns where WildcardPattern.matches(pattern.text, host.name.bytes) {
        if pattern.isNegative { return false }
        isFound = true
      }
      return isFound
    }
  }

  /// The names that are no patterns; none if they are hashed.
  package var plainNames: [HostName] {
    guard case .patterns(let patterns) = self else { return [] }
    return patterns.filter { !$0.isNegative }.compactMap { HostName(ByteString($0.text)) }
  }
}
