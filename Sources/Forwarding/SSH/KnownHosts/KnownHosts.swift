import Bytes

/// Known keys of hosts, as in OpenSSH's `known_hosts` (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT).
package struct KnownHosts: Sendable {
  package struct Entry: Equatable, Sendable {
    package enum Marker: Equatable, Sendable {
      /// The key signs certificates of hosts.
      case certificateAuthority
      case revoked
    }

    /// `nil` for a line with a host's own key.
    package let marker: Marker?
    package let hosts: HostPatterns
    /// The key, in SSH's encoding.
    package let key: [UInt8]
  }

  package private(set) var entries: [Entry] = []

  package init() {}

  func filtered(_ isIncluded: (Entry) -> Bool) -> KnownHosts {
    var some = KnownHosts()
    some.entries = entries.filter(isIncluded)
    return some
  }

  /// Adds the lines of a file. As in OpenSSH, an invalid line is skipped; a line with an unknown mark is never taken
  /// for a host's key.
  package mutating func append(_ file: UnsafeRawBufferPointer) {
    var lines = Lines(file)
    while let line = lines.next() {
      if let entry = Entry(line) { entries.append(entry) }
    }
  }

  /// Whether a key, given in SSH's encoding, must not be accepted for any host.
  package func isRevoked(_ key: [UInt8]) -> Bool {
    entries.contains { $0.marker == .revoked && $0.key == key }
  }

  /// Whether a line names this key, given in SSH's encoding, for the host.
  package func names(_ key: [UInt8], of host: HostName, _ hash: HostNameHash) -> Bool {
    entries.contains { $0.marker == nil && $0.key == key && $0.hosts.match(host, hash) }
  }

  /// Whether a line names this key, given in SSH's encoding, as an authority for the host.
  package func trusts(authority key: [UInt8], for host: HostName, _ hash: HostNameHash) -> Bool {
    entries.contains { $0.marker == .certificateAuthority && $0.key == key && $0.hosts.match(host, hash) }
  }

  /// The readable names of hosts with this key: neither hashed nor patterns.
  package func plainNames(of key: [UInt8]) -> [HostName] {
    entries.filter { $0.marker == nil && $0.key == key }.flatMap(\.hosts.plainNames)
  }
}

extension KnownHosts.Entry {
  /// `nil` for an empty line, a comment, and an invalid line.
  init?(_ line: UnsafeRawBufferPointer) {
    var words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })[...]
    guard let first = words.first, first.first != UInt8(ascii: "#") else { return nil }
    if first.first == UInt8(ascii: "@") {
      switch UnsafeRawBufferPointer(rebasing: first) {
      case let mark where mark == "@cert-authority": marker = .certificateAuthority
      case let mark where mark == "@revoked": marker = .revoked
      default: return nil
      }
      words = words.dropFirst()
    } else {
      marker = nil
    }
    guard words.count >= 3 else { return nil }
    let fields = words.prefix(3).map { UnsafeRawBufferPointer(rebasing: $0) }
    guard let hosts = HostPatterns(fields[0]), let key = Self.key(fields[2], type: fields[1]) else {
      return nil
    }
    self.hosts = hosts
    self.key = key
  }

  /// The longest key in base64; OpenSSH's largest RSA keys have some 2,800 columns.
  private static let maximumColumns = 16 << 10

  private static func key(_ text: UnsafeRawBufferPointer, type: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count <= maximumColumns else { return nil }
    let key = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { memory, count in
      count = Base64.decode(padded: text, into: UnsafeMutableRawBufferPointer(memory)) ?? 0
    }
    // The key contains its type as well. Lines from before SSH 2 have a number here.
    let isOfType = key.withUnsafeBytes { key in
      var fields = WireReader(key)
      guard let name = try? fields.string() else { return false }
      return name.elementsEqual(type)
    }
    return isOfType ? key : nil
  }
}
