import Expectations
import Testing

@testable import Commands

@Suite("how many items a keychain has") struct ItemCountTests {
  @Test("those of other programs are told apart from logins")
  func text() {
    expect(ItemCount(logins: 12).text, is: "12 items")
    expect(ItemCount(logins: 12, others: 1).text, is: "12 logins and 1 item of other programs")
    expect(ItemCount(logins: 1, others: 2).shortText, is: "1 login, 2 others")
    expect(ItemCount(logins: 0, others: 2).text, is: "2 items of other programs")
  }
}
