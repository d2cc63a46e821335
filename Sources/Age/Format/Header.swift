import Bytes

/// The textual part of an age file, which carries the wrapped file key (C2SP age.md, "Header").
public struct Header: Sendable {
  /// The most bytes a header may have, 2 MiB; it is the bound of the age tool since 1.3.2, too.
  public static let maximumSize = 2 << 20
  /// The most stanzas a header may have.
  public static let maximumStanzas = 1024

  /// The stanzas, at least one, in the file's order, those of unknown types included.
  public let stanzas: [Stanza]
  /// The 32 bytes of the MAC, unverified until there is a file key.
  public let mac: [UInt8]
  /// The header's bytes, the last line feed included: where the payload begins in the file.
  public let encodedSize: Int

  private let authenticated: [UInt8]

  /// Takes a header apart. What it says is not authentic before ``fileKey(with:)`` has returned.
  ///
  /// - Parameter bytes: the beginning of a binary (not armored) file; what follows the header is not looked at.
  /// - Throws: ``AgeError/header(_:)``. ``HeaderFault/truncated`` says that nothing is wrong as far as the bytes
  ///   go: try again with more of the file, at most ``maximumSize``.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(AgeError) {
    var parser = HeaderParser(bytes)
    var stanzas: [Stanza] = []
    try parser.parseVersion()
    while let stanza = try parser.parseStanza() {
      guard stanzas.count < Header.maximumStanzas else { throw .header(.tooManyStanzas) }
      stanzas.append(stanza)
    }
    guard !stanzas.isEmpty else { throw .header(.noStanza) }
    let macStart = parser.offset
    mac = try parser.parseMAC()
    encodedSize = parser.offset
    authenticated = [UInt8](bytes[..<(macStart + Header.macMark.utf8CodeUnitCount)])
    self.stanzas = stanzas
  }

  /// Unwraps the file key with the first identity that can and verifies the header with it.
  ///
  /// - Parameter identities: tried in this order. The first that finds a malformed stanza of its own kind ends
  ///   the attempt.
  /// - Returns: the file key; from here on the header's contents are what its writer wrote.
  /// - Throws: ``AgeError/noMatch`` if no identity opens it, ``AgeError/headerMAC`` if the header was altered,
  ///   ``AgeError/header(_:)`` if an scrypt stanza isn't alone or a stanza is malformed,
  ///   ``AgeError/workFactorTooHigh(logN:limit:)`` and ``AgeError/outOfMemory(bytes:)`` from passphrases.
  public func fileKey(with identities: [any Identity]) throws(AgeError) -> FileKey {
    guard Header.isAcceptable(stanzas) else { throw .header(.scryptNotAlone) }
    for identity in identities {
      if let fileKey = try fileKey(with: identity) { return fileKey }
    }
    throw .noMatch
  }

  /// The same with one identity; `nil` if that doesn't open it.
  package func fileKey(with identity: any Identity) throws(AgeError) -> FileKey? {
    guard Header.isAcceptable(stanzas) else { throw .header(.scryptNotAlone) }
    guard let fileKey = try identity.unwrap(stanzas) else { return nil }
    try verify(fileKey)
    return fileKey
  }

  /// Verifies the header with a file key that was had in another way, such as from a cache.
  ///
  /// - Parameter fileKey: the key that this header is thought to carry.
  /// - Throws: ``AgeError/headerMAC`` if the key is another file's or the header was altered.
  public func verify(_ fileKey: borrowing FileKey) throws(AgeError) {
    let isAuthentic = withSecretScratch(KeyDerivation.hashSize) { expected in
      authenticated.withUnsafeBytes { Header.computeMAC(of: $0, fileKey: fileKey, into: expected) }
      return mac.withUnsafeBytes { Sodium.areEqual($0, UnsafeRawBufferPointer(expected)) }
    }
    guard isAuthentic else { throw .headerMAC }
  }

  /// Writes a header with its MAC.
  ///
  /// - Parameters:
  ///   - stanzas: those that the recipients wrapped `fileKey` in, and any others; they are written as given.
  ///   - fileKey: the file's key, which authenticates all stanzas.
  /// - Returns: the bytes, the last line feed included.
  /// - Throws: ``AgeError/header(_:)`` for what ``init(parsing:)`` or ``fileKey(with:)`` would refuse: no stanza,
  ///   too many, too large, or an scrypt stanza that isn't alone.
  public static func encode(
    stanzas: [Stanza], fileKey: borrowing FileKey
  ) throws(AgeError) -> [UInt8] {
    guard !stanzas.isEmpty else { throw .header(.noStanza) }
    guard stanzas.count <= maximumStanzas else { throw .header(.tooManyStanzas) }
    guard isAcceptable(stanzas) else { throw .header(.scryptNotAlone) }
    var text: [UInt8] = []
    text.reserveCapacity(512)
    text.append(contentsOf: "age-encryption.org/v1\n".utf8)
    for stanza in stanzas { stanza.encode(appendingTo: &text) }
    text.append(contentsOf: macMark.bytes)
    withSecretScratch(KeyDerivation.hashSize) { mac in
      text.withUnsafeBytes { computeMAC(of: $0, fileKey: fileKey, into: mac) }
      text.append(UInt8(ascii: " "))
      Base64.encode(UnsafeRawBufferPointer(mac), appendingTo: &text)
    }
    text.append(Stanza.lineFeed)
    guard text.count <= maximumSize else { throw .header(.tooLarge) }
    return text
  }

  private static let macMark: StaticString = "---"

  /// A passphrase is expected to authenticate: whoever can open the file knows it. So nobody else's stanza may
  /// stand beside (C2SP age.md, "scrypt recipient stanza").
  static func isAcceptable(_ stanzas: [Stanza]) -> Bool {
    stanzas.count == 1 || !stanzas.contains { $0.type == ScryptIdentity.stanzaType }
  }

  private static func computeMAC(
    of text: UnsafeRawBufferPointer, fileKey: borrowing FileKey, into mac: UnsafeMutableRawBufferPointer
  ) {
    withSecretScratch(KeyDerivation.hashSize) { key in
      fileKey.withUnsafeBytes {
        KeyDerivation.hkdfSHA256(
          inputKey: $0, salt: UnsafeRawBufferPointer(start: nil, count: 0), info: "header", into: key)
      }
      KeyDerivation.hmacSHA256(key: UnsafeRawBufferPointer(key), message: text, into: mac)
    }
  }
}
