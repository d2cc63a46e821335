import Age
import CSodium
import Glibc

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func bytes(hex text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes of a text.
func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

func readFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "rb") else { return nil }
  defer { fclose(file) }
  var contents: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return contents }
    contents += buffer[..<count]
  }
}

/// Hashes the output of a decryption.
struct SHA256 {
  private var state = crypto_hash_sha256_state()

  init() { crypto_hash_sha256_init(&state) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    crypto_hash_sha256_update(&state, base, UInt64(bytes.count))
  }

  mutating func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256_final(&state, &digest)
    return hex(digest)
  }
}

/// SplitMix64, which gives the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}

/// Contents without a period, which could hide errors in chunks.
func sample(_ count: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
    var word: UInt32 = 1
    for index in 0..<count {
      word = word &* 1_664_525 &+ 1_013_904_223
      memory[index] = UInt8(truncatingIfNeeded: word >> 24)
    }
    initialized = count
  }
}

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
