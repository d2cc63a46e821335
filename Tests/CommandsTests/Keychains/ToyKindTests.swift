import ArgumentParser
import EncryptedFile
import Expectations
import Glibc
import Keychain
import KeychainChoice
import KeychainTesting
import TestSupport
import Testing
import ToolCommands

@testable import Commands

/// A kind of keychain that llavero doesn't have. All that it takes is in this structure.
private struct ToyKind: ManagedKind {
  let kind = KeychainKind("toy", canBeListed: true)
  nonisolated(unsafe) static let keychain = InMemoryKeychain()

  func open(_ keychain: ListedKeychain, by opener: any KeychainOpener) -> any KeychainStore { Self.keychain }
}

@Suite("another kind of keychain", .aheadOfOthers) struct ToyKindTests {
  // In a process of its own, because kinds are known to all of it.
  @Test("is added, opened, listed, chosen and examined as the others are")
  func toy() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let home = TemporaryFolder()
      for variable in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK"] {
        unsetenv(variable)
      }
      setenv("HOME", home.path, 1)
      KeychainKind.further = [ToyKind()]
      try Self.use(at: try VaultLocation())
    }
    let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").joined(separator: " ") }
    expect(
      lines.prefix(4),
      is: [
        "NAME KIND PLACE STATE", "* box toy /attic 1 item",
        "keychain box, toy /attic, \(Self.remembered)", "items 1",
      ])
  }

  private static var remembered: String { "remembered on \("\(Timestamp.now)".prefix(10))" }

  private static func use(at location: VaultLocation) throws {
    try run("keychain", "add", "box", "toy", "/attic")
    let listed = try ListedKeychain.named("box")
    _ = try RememberedKeychain.write(listed, in: location.stateFolder)
    let open = try KeychainSelection(name: "box").chooseOrExec().open()
    try open.keychain.add(.internet(account: "alice"), "s3cret")
    try expect(ToyKind.keychain.answeredSecret(.internet()), is: "s3cret")
    try run("keychain", "list")
    try run("status")
    expect(
      ListedKeychainFindings(of: listed, KeychainSelection()).all.map { "\($0.subject) \($0.value ?? "")" },
      is: ["place /attic", "items 1"])
    try run("keychain", "order", "file", "box")
    try expect(KeychainSelection().chooseOrExec().open().list?.names, is: ["file", "box"])
  }

  private static func run(_ words: String...) throws {
    var command = try LlaveroCommand.parseAsRoot(words)
    try command.run()
  }
}
