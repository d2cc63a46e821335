import Expectations
import Testing

@testable import ToolCommands

struct LeasePausesTests {
  /// How often somebody looks who waits for so long, in milliseconds.
  private func looks(within milliseconds: Int) -> Int {
    var pauses = LeasePauses()
    var (count, waited) = (0, 0)
    while true {
      waited += pauses.next()
      if waited > milliseconds { return count }
      count += 1
    }
  }

  @Test("what another machine renews is seen at once, and who waits long asks seldom")
  func slower() {
    for _ in 1...100 {
      expect(2...4 ~= looks(within: 250))
      expect(5...8 ~= looks(within: 1000))
      expect(75...130 ~= looks(within: 90_000))
    }
  }

  @Test("what was left behind is waited for to its end, which comes later than the wait is long")
  func waitedFor() {
    expect(!TokenRenewal.isTooLong(89_000, leaving: 90))
    expect(!TokenRenewal.isTooLong(93_000, leaving: 4))
    // Another machine has taken it meanwhile.
    expect(TokenRenewal.isTooLong(93_000, leaving: 88))
    expect(TokenRenewal.isTooLong(181_000, leaving: 4))
  }
}
