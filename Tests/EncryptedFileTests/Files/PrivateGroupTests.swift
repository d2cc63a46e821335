import Expectations
import Testing

@testable import PrivateFiles

@Suite("Private groups", .timeLimit(.minutes(60)))
struct PrivateGroupTests {
  private func isOwn(_ group: UInt32, _ users: String, _ groups: String) -> Bool {
    PrivateGroup.isOwn(
      group, of: 1000, PrivateGroup.fields(Array(users.utf8)), PrivateGroup.fields(Array(groups.utf8)))
  }

  @Test("only a group that a user is alone in is their own")
  func alone() {
    let alice = "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n"
    expect(isOwn(1000, alice, "alice:x:1000:\n"))
    expect(isOwn(1000, alice, "alice:x:1000:alice\nstaff:x:50:alice,bob\n"))
    expect(!isOwn(1000, alice, "alice:x:1000:bob\n"))
    expect(!isOwn(1000, alice, "alice:x:1000:\nteam:x:1000:bob\n"))
    expect(!isOwn(50, alice, "staff:x:50:alice\n"))
    // Who has it as their first group isn't named as its member.
    expect(!isOwn(1000, alice + "bob:x:1001:1000::/home/bob:/bin/sh\n", "alice:x:1000:\n"))
    // What a directory server knows can't be told.
    expect(!isOwn(1000, alice, "root:x:0:\n"))
    expect(!isOwn(1000, "root:x:0:0::/:/bin/sh\n", "alice:x:1000:\n"))
  }
}
