import EncryptedFile
import Expectations
import Keychain
import TestSupport
import Testing

@testable import DefaultKeychain
@testable import KeychainChoice

@Suite("a keychain that others share, as programs use it") struct MembershipTests {
  @Test("whoever was removed stays out")
  func removed() throws {
    let home = Home()
    home.variables["LLAVERO_KEYCHAIN"] = "team"
    let recipient = try #require(try SlotIdentity.make(at: home.folder["keys"], "member.txt"))
    try expect(SlotIdentity.make(at: home.folder["keys"], "member.txt"), is: nil)
    try expect(SlotIdentity.recipient(at: home.folder["keys/member.txt"]), is: recipient)
    let identity = home.folder["keys/member.txt"]
    let team = ListedKeychain(
      "team", .git, at: "/repository", [ListedKeychain.Option(ListedKeychain.identityOption, identity)])
    _ = try KeychainList.change(in: home.location.stateFolder) { (list) throws(KeychainError) in
      do throws(KeychainList.Fault) { try list.add(team) } catch { throw .choice(.refusedChange(error)) }
    }
    let location = try home.location.of(team)
    let shared = EncryptedFileKeychain(at: location)
    try shared.create(.recipient(recipient, identity: identity), isShared: true)
    try shared.add(.internet(account: "alice"), "s3cret")
    let open = try home.keychain()
    try expect(open.accounts(), is: ["alice"])
    location.noteExclusion()
    let isOut = KeychainError.notMember(keychain: "team", recipient: recipient, label: nil, wasBefore: true)
    expect(failure { try home.keychain().accounts() }, is: isOut)
    expect(failure { try home.keychain().add(.internet(account: "bob"), "x") }, is: isOut)
    // What was opened before knows it, too.
    expect(failure { try open.accounts() }, is: isOut)
    expect(failure { try open.add(.internet(account: "bob"), "x") }, is: isOut)
    location.noteInclusion()
    try expect(open.accounts(), is: ["alice"])
    try expect(home.keychain().accounts(), is: ["alice"])
  }
}
