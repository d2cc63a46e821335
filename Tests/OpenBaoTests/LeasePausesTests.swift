import Testing

@testable import Renewing

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
      #expect(2...4 ~= looks(within: 250))
      #expect(5...8 ~= looks(within: 1000))
      #expect(75...130 ~= looks(within: 90_000))
    }
  }
}
