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
  guard let file = fopen(path, "rbe") else { return nil }
  defer { fclose(file) }
  var contents: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return contents }
    contents += buffer[..<count]
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
