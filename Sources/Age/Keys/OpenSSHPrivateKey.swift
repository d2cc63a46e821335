import Bytes
import CSodium

/// An OpenSSH private key file (PROTOCOL.key of its sources).
enum OpenSSHPrivateKey {
  private static let begin: StaticString = "-----BEGIN OPENSSH PRIVATE KEY-----"
  private static let end: StaticString = "-----END OPENSSH PRIVATE KEY-----"
  private static let magic: StaticString = "openssh-key-v1\0"
  private static let none: StaticString = "none"
  /// Files without a cipher are padded to this block size, with bytes 1, 2, 3 …
  private static let blockSize = 8

  static func isOne(_ file: UnsafeRawBufferPointer) -> Bool { file.starts(with: begin) }

  /// Reads an Ed25519 key and lends its 64 secret bytes, seed and public key, in wiped memory. All copies of the
  /// public key in the file must match the seed.
  static func withKey(
    in file: UnsafeRawBufferPointer,
    _ body: (_ secretKey: UnsafeRawBufferPointer, _ publicKey: [UInt8]) throws(AgeError) -> Void
  ) throws(AgeError) {
    guard file.count <= IdentityFile.maximumSize else {
      throw .keyFileTooLarge(limit: IdentityFile.maximumSize)
    }
    try withSecretScratch(file.count) { (text: UnsafeMutableRawBufferPointer) throws(AgeError) in
      let count = try joinLines(of: file, into: text)
      try withDecodedBase64(UnsafeRawBufferPointer(text.part(0, count))) {
        (bytes) throws(AgeError) in
        try parse(bytes, body)
      }
    }
  }

  /// Copies the base64 between the BEGIN and END lines without line ends. The lines may have any length.
  private static func joinLines(
    of file: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer
  ) throws(AgeError) -> Int {
    var lines = Lines(file)
    guard let first = lines.next(), first.elementsEqual(begin.bytes) else { throw .invalidKey(.separator) }
    var count = 0
    while let line = lines.next() {
      if line.first == UInt8(ascii: "-") {
        guard line.elementsEqual(end.bytes) else { throw .invalidKey(.separator) }
        while let line = lines.next() {
          guard line.isEmpty else { throw .invalidKey(.separator) }
        }
        return count
      }
      text.part(count, line.count).copyMemory(from: line)
      count += line.count
    }
    throw .invalidKey(.separator)
  }

  private static func parse(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (_ secretKey: UnsafeRawBufferPointer, _ publicKey: [UInt8]) throws(AgeError) -> Void
  ) throws(AgeError) {
    var fields = WireReader(bytes)
    guard try fields.takeBytes(magic.utf8CodeUnitCount).elementsEqual(magic.bytes) else {
      throw .invalidKey(.structure)
    }
    let cipher = try fields.takeString()
    let derivation = try fields.takeString()
    let options = try fields.takeString()
    guard try fields.takeNumber() == 1 else { throw .invalidKey(.structure) }
    // Checked before the cipher: an RSA key is no use without its passphrase either.
    let publicKey = try SSHEd25519.parse(encodedKey: try fields.takeString())
    let secrets = try fields.takeString()
    guard cipher.elementsEqual(none.bytes) else { throw .invalidKey(.passphraseProtected) }
    guard derivation.elementsEqual(none.bytes), options.isEmpty, fields.isAtEnd,
      secrets.count % blockSize == 0
    else { throw .invalidKey(.structure) }

    fields = WireReader(secrets)
    guard try fields.takeNumber() == fields.takeNumber() else { throw .invalidKey(.structure) }
    guard try fields.takeString().elementsEqual(SSHEd25519.keyType.bytes) else {
      throw .invalidKey(.structure)
    }
    let innerKey = try fields.takeString()
    let secretKey = try fields.takeString()
    _ = try fields.takeString()
    let padding = fields.rest
    guard innerKey.elementsEqual(publicKey), padding.count <= UInt8.max,
      padding.enumerated().allSatisfy({ $0.offset + 1 == $0.element })
    else { throw .invalidKey(.structure) }
    guard secretKey.count == 2 * SSHEd25519.keySize else { throw .invalidKey(.length) }

    try withSecretScratch(2 * SSHEd25519.keySize) { (pair: UnsafeMutableRawBufferPointer) throws(AgeError) in
      Sodium.start()
      var derived = [UInt8](repeating: 0, count: SSHEd25519.keySize)
      _ = crypto_sign_seed_keypair(&derived, pair.start, secretKey.start)
      guard derived == publicKey, Sodium.areEqual(UnsafeRawBufferPointer(pair), secretKey) else {
        throw .invalidKey(.structure)
      }
      try body(UnsafeRawBufferPointer(pair), publicKey)
    }
  }
}
