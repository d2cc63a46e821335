import Bytes

/// The textual part of an age file, which contains the wrapped file key (C2SP age.md, "Header").
public struct Header: Sendable {
  /// The largest size of a header in bytes, 2 MiB, as in the age tool since 1.3.2.
  public static let maximumSize = 2 << 20
  /// The largest number of stanzas in a header.
  public static let maximumStanzas = 1024

  /// The stanzas, at least one, in the file's order, including those of unknown types.
  public let stanzas: [Stanza]
  /// The 32 bytes of the MAC, unverified until there is a file key.
  public let mac: [UInt8]
  /// The header's size in bytes, including the last line feed; the payload begins there.
  public let encodedSize: Int

  private let authenticated: [UInt8]

  /// Parses a header. Its contents are not authentic before ``fileKey(with:)`` has returned.
  ///
  /// - Parameter bytes: the beginning of a binary (not armored) file; anything after the header is ignored.
  /// - Throws: ``AgeError/header(_:)``. ``HeaderFault/truncated`` means that the bytes so far are correct: try again
  ///   with more of the file, at most ``maximumSize``.
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
  /// - Parameter identities: tried in this order. A malformed stanza of an identity's own kind ends the attempt.
  /// - Returns: the file key. The header is authentic from here on.
  /// - Throws: ``AgeError/noMatch`` if no identity opens it, ``AgeError/headerMAC`` if the header was altered,
  ///   ``AgeError/header(_:)`` if an scrypt stanza isn't alone or a stanza is malformed,
  ///   ``AgeError/workFactorTooHigh(logN:limit:)`` and ``AgeError/outOfMemory(bytes:)`` from passphrases.
  public func fileKey(with identities: [any Identity]) throws(AgeError) -> FileKey {
    try fileKey(with: identities) { _ in true }
  }

  /// The same, but tells a plugin's wrong key from an altered header. Other identities prove that a stanza is theirs;
  /// only what it opens proves a plugin's answer.
  ///
  /// - Parameter opensContents: whether a key opens what follows the header.
  /// - Throws: as ``fileKey(with:)`` does; ``PluginFault/wrongKey``.
  func fileKey(
    with identities: [any Identity], opensContents: (borrowing FileKey) -> Bool
  ) throws(AgeError) -> FileKey {
    guard Header.isAcceptable(stanzas) else { throw .header(.scryptNotAlone) }
    for identity in identities {
      guard let fileKey = try identity.unwrap(stanzas) else { continue }
      do throws(AgeError) {
        try verify(fileKey)
      } catch {
        guard let plugin = identity as? PluginIdentity, !opensContents(fileKey) else { throw error }
        throw .plugin(name: plugin.name, fault: .wrongKey)
      }
      return fileKey
    }
    throw .noMatch
  }

  /// The same with one identity; `nil` if it doesn't open the header. `known` is the key that it already unwrapped.
  package func fileKey(
    with identity: any Identity, _ known: consuming FileKey? = nil
  ) throws(AgeError) -> FileKey? {
    guard Header.isAcceptable(stanzas) else { throw .header(.scryptNotAlone) }
    let fileKey: FileKey
    if let known {
      fileKey = known
    } else {
      guard let unwrapped = try identity.unwrap(stanzas) else { return nil }
      fileKey = unwrapped
    }
    try verify(fileKey)
    return fileKey
  }

  /// Verifies the header with a file key from elsewhere, such as a cache.
  ///
  /// - Parameter fileKey: the key that this header should contain.
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
  ///   - stanzas: the stanzas in which the recipients wrapped `fileKey`, and any others; they are written as given.
  ///   - fileKey: the file's key, which authenticates all stanzas.
  /// - Returns: the bytes, including the last line feed.
  /// - Throws: ``AgeError/header(_:)`` if ``init(parsing:)`` or ``fileKey(with:)`` would refuse the header: no
  ///   stanza, too many, too large, or an scrypt stanza that isn't alone.
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

  /// A passphrase should authenticate: whoever can open the file knows it. Therefore no other stanza may accompany it
  /// (C2SP age.md, "scrypt recipient stanza").
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
