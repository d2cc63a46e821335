/// How long to wait before looking at another machine's lease again: short at first, because most services answer
/// within moments, then longer each time, because an abandoned lease may last.
struct LeasePauses {
  /// In milliseconds.
  private static let first = 60
  private static let longest = 1000

  private var usual = first

  /// In milliseconds. It varies by up to a quarter, so that machines that began together don't ask together.
  mutating func next() -> Int {
    let pause = usual
    usual = min(usual * 3 / 2, Self.longest)
    return .random(in: pause * 3 / 4...pause * 5 / 4)
  }
}
