import Bytes
import Expectations
import OpenBao
import TestSupport
import Testing

@testable import ToolCommands

@Suite("Copies of a server's items")
struct CopyVaultTests {
  private let folder = TemporaryFolder()
  private let earlier = Timestamp(milliseconds: Timestamp.now.milliseconds - 60_000)
  private let later = Timestamp(milliseconds: Timestamp.now.milliseconds - 30_000)

  private func copies() -> CopyVault {
    CopyVault(in: folder["openbao/team"], of: "team alice", maximumAge: 3600)
  }

  private func keep(_ names: String..., at now: Timestamp) {
    copies().keep(names.map { ($0, []) }, at: now, if: { true })
  }

  @Test("a copy of what was asked for later stays, whoever is answered last")
  func newer() {
    keep("web", "mail", at: later)
    keep("web", "shop", at: earlier)
    expect(copies().folder("web")?.fetched, is: later)
    expect(copies().folder("mail")?.fetched, is: later)
    expect(copies().folder("shop")?.fetched, is: earlier)
  }

  @Test("to forget what was never there makes nothing")
  func forgetting() {
    copies().forgetAll()
    copies().forget(at: .now)
    expect(names(in: folder.path), is: [])
    keep("web", at: later)
    copies().forgetAll()
    expect(copies().folder("web") == nil)
    expect(names(in: folder["openbao/team/copies"]), is: ["lock"])
  }
}
