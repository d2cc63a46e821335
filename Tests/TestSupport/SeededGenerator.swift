/// SplitMix64, which gives the same numbers in every run.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator whose numbers depend only on the seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// A number in a range.
  public mutating func number(in range: Range<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Random bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// One of the elements.
  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(in: 0..<elements.count)]
  }

  /// The bytes after a few changes: some replaced, inserted, removed or repeated, or an entry of `dictionary` inserted.
  public mutating func mutated(_ bytes: [UInt8], dictionary: [[UInt8]] = []) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<number(in: 1..<5) {
      let position = number(in: 0..<bytes.count + 1)
      let end = min(bytes.count, position + number(in: 1..<9))
      switch number(in: 0..<6) {
      case 0 where position < bytes.count: bytes[position] = UInt8(truncatingIfNeeded: next())
      case 1 where position < bytes.count: bytes[position] ^= 1 << UInt8(number(in: 0..<8))
      case 2: bytes.removeSubrange(position..<end)
      case 3: bytes.insert(contentsOf: bytes[position..<end], at: number(in: 0..<bytes.count + 1))
      case 4 where !dictionary.isEmpty: bytes.insert(contentsOf: pick(dictionary), at: position)
      default: bytes.insert(UInt8(truncatingIfNeeded: next()), at: position)
      }
    }
    return bytes
  }
}
