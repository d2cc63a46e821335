/// How long to wait before another machine's lease is looked at again: short at first, for most services answer within
/// moments, and longer each time, for a lease that was left behind may last.
struct LeasePauses {
  /// The first one, and the longest, in milliseconds.
  private static let first = 60
  private static let longest = 1000

  private var usual = first

  /// The next one, in milliseconds. It differs by up to a quarter, so that machines that have begun together don't ask
  /// together.
  mutating func next() -> Int {
    let pause = usual
    usual = min(usual * 3 / 2, Self.longest)
    return .random(in: pause * 3 / 4...pause * 5 / 4)
  }
}
