import Expectations
import KeychainChoice
import Testing

@testable import Commands

@Suite("the command for an item that others use") struct SharedItemsTests {
  @Test("it is the same command for that keychain alone, with the option before operands behind --")
  func words() {
    expect(
      OpenKeychain.words(["/usr/bin/llavero", "delete", "https://a.example", "--account", "a"], in: "team"),
      is: ["llavero", "delete", "https://a.example", "--account", "a", "--keychain", "team"])
    expect(
      OpenKeychain.words(["llavero", "update", "--", "-a"], in: "team"),
      is: ["llavero", "update", "--keychain", "team", "--", "-a"])
  }
}
