import Age

extension Header {
  init(_ bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { try Header(parsing: $0) }
  }
}

extension X25519Identity {
  static func parse(_ text: String) throws -> X25519Identity {
    try ascii(text).withUnsafeBytes { try X25519Identity(parsing: $0) }
  }

  var text: String { withEncodedBytes { String(decoding: $0, as: UTF8.self) } }
}

extension ScryptIdentity {
  static func make(_ passphrase: String, maximumLogN: Int = 20) throws -> ScryptIdentity {
    try ascii(passphrase).withUnsafeBytes { try ScryptIdentity(passphrase: $0, maximumLogN: maximumLogN) }
  }
}

extension ScryptRecipient {
  static func make(_ passphrase: String, logN: Int = 10) throws -> ScryptRecipient {
    try ascii(passphrase).withUnsafeBytes { try ScryptRecipient(passphrase: $0, logN: logN) }
  }
}

func decodeArmor(_ text: [UInt8]) throws -> [UInt8] {
  try text.withUnsafeBytes { try Armor.decode($0) }
}

func encodeArmor(_ binary: [UInt8]) -> [UInt8] {
  binary.withUnsafeBytes { Armor.encode($0) }
}

/// Opens the payload of a whole binary file in an array for random access.
func makeReader(_ file: [UInt8], with identities: [any Identity]) throws -> RandomAccessReader {
  let header = try Header(file)
  let fileKey = try header.fileKey(with: identities)
  let payload = Array(file[header.encodedSize...])
  return try RandomAccessReader(payloadSize: payload.count, fileKey: fileKey) { offset, buffer in
    buffer.copyBytes(from: payload[offset..<offset + buffer.count])
  }
}

func readAll(_ reader: inout RandomAccessReader) throws -> [UInt8] {
  try read(0..<reader.plaintextSize, from: &reader)
}

func read(_ range: Range<Int>, from reader: inout RandomAccessReader) throws -> [UInt8] {
  let output = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 1)
  defer { output.deallocate() }
  try reader.read(range: range, into: output)
  return Array(output)
}
