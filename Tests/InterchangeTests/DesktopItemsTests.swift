import Expectations
import Interchange
import Keychain
import Testing

@Suite("other programs' items in the Secret Service")
struct DesktopItemsTests {
  private func item(_ service: ByteString, _ account: ByteString?) -> Item {
    Item(.genericPassword(GenericPassword(service: service, account: account)))
  }

  @Test("gh's token without an account is a copy of an account's for the same host, and no login")
  func copiesOfGH() {
    let alice = item("gh:github.com", "alice")
    for account: ByteString? in ["", nil] {
      let active = item("gh:github.com", account)
      expect(DesktopItems.gh.isCopy(active, alice))
      expect(!DesktopItems.gh.isCopy(alice, active))
      expect(!DesktopItems.gh.isCopy(active, active))
      expect(DesktopItems.gh.converted(active) == nil)
      expect(!DesktopItems.gh.isCopy(item("gh:ghe.example", account), alice))
    }
    expect(!DesktopItems.gh.isCopy(item("gh:github.com", "bob"), alice))
  }

  @Test("other programs make no copies")
  func copiesOfOthers() {
    let login = item("git:https://git.example", "alice")
    for program in [DesktopItems.gcm, .docker, .cargo, .keyring, .gitLibsecret] {
      expect(!program.isCopy(item("git:https://git.example", ""), login), "\(program.name)")
    }
  }
}
