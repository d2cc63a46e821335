import Age
import Expectations
import TestSupport
import Testing

@Suite struct PayloadTests {
  static let identity = X25519Identity()
  static let sizes = [0, 1, 65535, 65536, 65537, 131_071, 131_072, 131_073, 200_000]

  @Test("a file of any size comes back whole, in order and at random", arguments: sizes)
  func roundTrip(_ size: Int) throws {
    let plaintext = sample(size)
    let file = try AgeFile.encrypt(plaintext, to: [Self.identity.recipient])
    let header = try Header(file)
    let payloadSize = file.count - header.encodedSize
    expect(payloadSize, is: PayloadLayout.encryptedSize(ofPlaintext: size))
    try expect(PayloadLayout.plaintextSize(ofEncrypted: payloadSize), is: size)
    try expect(AgeFile.decrypt(file, with: [Self.identity]), is: plaintext)

    var reader = try makeReader(file, with: [Self.identity])
    let (plaintextSize, chunkCount) = (reader.plaintextSize, reader.chunkCount)
    expect(plaintextSize, is: size)
    expect(chunkCount, is: PayloadLayout.chunkCount(ofPlaintext: size))
    let all = try readAll(&reader)
    expect(all, is: plaintext)
    var joined: [UInt8] = []
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: PayloadLayout.chunkSize, alignment: 1)
    defer { output.deallocate() }
    for index in (0..<chunkCount).reversed() {
      let count = try reader.readChunk(index, into: output)
      let expected = reader.size(ofChunk: index)
      expect(count, is: expected)
      joined = Array(output[..<count]) + joined
    }
    expect(joined, is: plaintext)
  }

  @Test("an armored file of any size comes back whole", arguments: [0, 1, 65536])
  func armored(_ size: Int) throws {
    let file = try AgeFile.encrypt(sample(size), to: [Self.identity.recipient], armored: true)
    try expect(AgeFile.decrypt(file, with: [Self.identity]), is: sample(size))
    #expect(throws: AgeError.header(.notAge)) {
      try AgeFile.decrypt(file, encoding: .binary, with: [Self.identity])
    }
  }

  @Test("any range can be read")
  func ranges() throws {
    let plaintext = sample(200_000)
    var reader = try makeReader(
      try AgeFile.encrypt(plaintext, to: [Self.identity.recipient]), with: [Self.identity])
    var generator = SeededGenerator(seed: 3)
    let edges = [0, 1, 65535, 65536, 65537, 131_071, 131_072, 131_073, 199_999, 200_000]
    for _ in 0..<200 {
      let bounds = (0..<2).map { _ in
        Bool.random(using: &generator)
          ? edges[Int.random(in: 0..<edges.count, using: &generator)]
          : Int.random(in: 0...200_000, using: &generator)
      }.sorted()
      let part = try read(bounds[0]..<bounds[1], from: &reader)
      expect(part, is: Array(plaintext[bounds[0]..<bounds[1]]))
    }
  }

  @Test("a truncated final chunk is refused, and so is a file cut between chunks or extended")
  func cut() throws {
    let file = try AgeFile.encrypt(sample(131_073), to: [Self.identity.recipient])
    let start = try Header(file).encodedSize
    let firstEnd = start + 16 + PayloadLayout.encryptedChunkSize
    let secondEnd = firstEnd + PayloadLayout.encryptedChunkSize
    let cuts: [(Int, AgeError)] = [
      (file.count - 1, .payload(.emptyFinalChunk)),
      (file.count - 2, .payload(.truncated)),
      (secondEnd, .payload(.truncated)),
      (secondEnd - 1, .payload(.chunk(1))),
      (firstEnd, .payload(.truncated)),
      (start + 16, .payload(.truncated)),
      (start + 15, .header(.nonceTruncated)),
      (start, .header(.nonceTruncated)),
    ]
    for (count, error) in cuts {
      #expect(throws: error) { try AgeFile.decrypt(Array(file[..<count]), with: [Self.identity]) }
      #expect(throws: AgeError.self) { _ = try makeReader(Array(file[..<count]), with: [Self.identity]) }
    }
    #expect(throws: AgeError.payload(.chunk(2))) { try AgeFile.decrypt(file + [0], with: [Self.identity]) }
    let full = try AgeFile.encrypt(sample(65536), to: [Self.identity.recipient])
    #expect(throws: AgeError.payload(.trailingData)) {
      try AgeFile.decrypt(full + [0], with: [Self.identity])
    }
  }

  @Test("a chunk opens only in its own place and only as what it is")
  func places() throws {
    let fileKey = FileKey()
    let key = try PayloadKey(fileKey: fileKey, nonce: sample(16))
    let other = try PayloadKey(fileKey: fileKey, nonce: sample(17).suffix(16))
    var sealed = [UInt8](repeating: 0, count: PayloadLayout.encryptedChunkSize)
    var opened = [UInt8](repeating: 0, count: PayloadLayout.chunkSize)
    let plaintext = sample(PayloadLayout.chunkSize)
    for index in [0, 1, 255, 256, 1 << 24, 1 << 32, Int.max] {
      sealed.withUnsafeMutableBytes { sealed in
        plaintext.withUnsafeBytes { key.seal(chunk: index, isLast: false, from: $0, into: sealed) }
      }
      try opened.withUnsafeMutableBytes { opened in
        try sealed.withUnsafeBytes { sealed in
          try key.open(chunk: index, isLast: false, from: sealed, into: opened)
          expect(Array(opened), is: plaintext)
          #expect(throws: AgeError.payload(.chunk(index))) {
            try key.open(chunk: index, isLast: true, from: sealed, into: opened)
          }
          expect(opened.allSatisfy { $0 == 0 }, "nothing is left of a chunk that isn't authentic")
          #expect(throws: AgeError.payload(.chunk(2))) {
            try key.open(chunk: 2, isLast: false, from: sealed, into: opened)
          }
          #expect(throws: AgeError.payload(.chunk(index))) {
            try other.open(chunk: index, isLast: false, from: sealed, into: opened)
          }
        }
      }
    }
  }

  @Test("chunks of impossible sizes are refused", arguments: [0, 15, 16, 65551, 65553])
  func chunkSizes(_ size: Int) throws {
    let key = try PayloadKey(fileKey: FileKey(), nonce: sample(16))
    var opened = [UInt8](repeating: 0, count: 70_000)
    opened.withUnsafeMutableBytes { opened in
      sample(size).withUnsafeBytes { sealed in
        #expect(throws: AgeError.payload(.chunkSize)) {
          try key.open(chunk: 1, isLast: false, from: sealed, into: opened)
        }
        if size == 16 {
          #expect(throws: AgeError.payload(.emptyFinalChunk)) {
            try key.open(chunk: 1, isLast: true, from: sealed, into: opened)
          }
        }
      }
    }
    #expect(throws: AgeError.header(.nonceTruncated)) {
      _ = try PayloadKey(fileKey: FileKey(), nonce: sample(15))
    }
  }

  static let impossibleSizes: [(Int, AgeError)] = [
    (-1, .header(.nonceTruncated)),
    (15, .header(.nonceTruncated)),
    (16, .payload(.truncated)),
    (31, .payload(.truncated)),
    (16 + 65552 + 15, .payload(.truncated)),
    (16 + 65552 + 16, .payload(.emptyFinalChunk)),
  ]

  @Test("sizes that no payload has are refused", arguments: impossibleSizes)
  func layout(_ size: Int, _ error: AgeError) {
    #expect(throws: error) { try PayloadLayout.plaintextSize(ofEncrypted: size) }
  }

  @Test("a failing read is passed on, and a damaged chunk spoils no other")
  func failingRead() throws {
    let file = try AgeFile.encrypt(sample(200_000), to: [Self.identity.recipient])
    let header = try Header(file)
    let fileKey = try header.fileKey(with: [Self.identity])
    let size = file.count - header.encodedSize
    #expect(throws: AgeError.read(errno: 5)) {
      _ = try RandomAccessReader(payloadSize: size, fileKey: fileKey) { _, _ throws(AgeError) in
        throw .read(errno: 5)
      }
    }
    var damaged = file
    damaged[header.encodedSize + 16 + 65552 + 100] ^= 1
    var reader = try makeReader(damaged, with: [Self.identity])
    let first = try read(0..<65536, from: &reader)
    expect(first, is: Array(sample(200_000)[..<65536]))
    var failure: AgeError?
    do { _ = try read(65536..<65537, from: &reader) } catch let error as AgeError { failure = error }
    expect(failure, is: .payload(.chunk(1)))
    let third = try read(131_072..<131_080, from: &reader)
    expect(third, is: Array(sample(200_000)[131_072..<131_080]))
  }

  @Test("no two files of the same contents are alike")
  func fresh() throws {
    let files = try (0..<3).map { _ in try AgeFile.encrypt(ascii("same"), to: [Self.identity.recipient]) }
    expect(Set(files).count, is: 3)
    expect(Set(try files.map { try Header($0).stanzas }).count, is: 3)
  }
}
