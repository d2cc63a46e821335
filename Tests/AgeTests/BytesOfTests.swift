func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func bytes(hex text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes of a text.
func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

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
