import EncryptedFile
import Expectations
import Glibc
import Keychain
import KeychainChoice
import SecretService
import TestSupport
import Testing

@testable import DefaultKeychain

@Suite("the user's keychain, locked", .timeLimit(.minutes(60))) struct LockedDefaultTests {
  /// A home with a vault that has a passphrase, and an item of alice's.
  private func home() throws -> Home {
    let home = Home()
    let keychain = EncryptedFileKeychain(at: home.location, passphrase: { $0 == 1 ? Secret("right") : nil })
      .withCheapPassphrases
    try keychain.create(.passphrase(Secret("right")))
    try keychain.add(.internet(account: "alice"), "s3cret")
    return home
  }

  @Test("where nobody may be asked, nobody is, and it is locked")
  func nobody() throws {
    let home = try home()
    let asked = Collected<Int>()
    let source: PassphraseSource = { attempt in
      asked.append(attempt)
      return Secret("right")
    }
    let locked = KeychainError.locked(path: home.location.vaultFile)
    for keychain in [
      try home.keychain(), try home.keychain(mayPrompt: true), try home.keychain(passphrase: source),
    ] {
      expect(failure { try keychain.items(matching: .all) }, is: locked)
      expect(failure { try keychain.add(.internet(account: "bob"), "x") }, is: locked)
    }
    home.variables["LLAVERO_PROMPT"] = "never"
    let keychain = try home.keychain(mayPrompt: true, passphrase: source)
    expect(failure { try keychain.items(matching: .all) }, is: locked)
    expect(asked.all, is: [])
    try expect(home.remembered, is: nil)
  }

  @Test("whoever is asked is asked once, and what opened it is locked again by another program")
  func asked() throws {
    let home = try home()
    let agent = try RunningAgent(in: home.folder["run/llavero"])
    let asked = Collected<Int>()
    let source: PassphraseSource = { attempt in
      asked.append(attempt)
      return attempt < 3 ? Secret(attempt == 1 ? "wrong" : "right") : nil
    }
    let keychain = try home.keychain(mayPrompt: true, passphrase: source)
    for _ in 0..<2 { try expect(keychain.answeredSecret(.internet()), is: "s3cret") }
    expect(asked.all, is: [1, 2])
    let silent = try home.keychain()
    try expect(silent.accounts(), is: ["alice"])
    try expect(EncryptedFileKeychain(at: home.location, cache: agent.cache()).lock(), is: .locked)
    expect(failure { try silent.accounts() }, is: .locked(path: home.location.vaultFile))
    try expect(keychain.accounts(), is: ["alice"])
    expect(asked.all, is: [1, 2, 1, 2])
    try expect(silent.accounts(), is: ["alice"])
    _ = try EncryptedFileKeychain(at: home.location, cache: agent.cache()).lock()
  }

  @Test("systemd's credential opens it, and a wrong one is no reason to ask somebody")
  func credential() throws {
    let home = try home()
    home.folder.makeFolder("credentials")
    home.variables["CREDENTIALS_DIRECTORY"] = home.folder["credentials"]
    home.variables["LLAVERO_UNLOCK_CACHE"] = "none"
    func put(_ text: String, mode: mode_t = 0o400) {
      unlink(home.folder["credentials/llavero"])
      home.folder.write(Array(text.utf8), to: "credentials/llavero")
      chmod(home.folder["credentials/llavero"], mode)
    }
    put("right\n")
    try expect(home.keychain().accounts(), is: ["alice"])
    put("wrong")
    let asking = try home.keychain(mayPrompt: true) { _ in
      Issue.record("somebody was asked")
      return nil
    }
    let wrong = KeychainError.wrongPassphraseGiven(
      by: "$CREDENTIALS_DIRECTORY/llavero", path: home.location.vaultFile)
    expect(failure { try asking.accounts() }, is: wrong)
    put("right", mode: 0o444)
    guard case .unsafeFile? = failure({ try home.keychain().accounts() }) else {
      Issue.record("it was safe")
      return
    }
    unlink(home.folder["credentials/llavero"])
    expect(failure { try home.keychain().accounts() }, is: .locked(path: home.location.vaultFile))
  }

  @Test("no program is run")
  func programs() throws {
    let home = try home()
    home.variables["LLAVERO_PASSPHRASE_COMMAND"] = "touch \(home.folder["ran"]); echo right"
    expect(
      failure { try home.keychain(mayPrompt: true).accounts() }, is: .locked(path: home.location.vaultFile))
    expect(access(home.folder["ran"], F_OK) != 0)
  }

  @Test("a locked collection is one, whether it was chosen or not")
  func collection() throws {
    let keyring = PrivateKeyring()
    let home = Home(keyring: keyring)
    let keychain = try home.keychain()
    _ = try keychain.choice()
    try keyring.keychain().lock()
    expect(failure { try keychain.add(.internet(account: "alice"), "x") }, is: .collectionLocked("login"))
    try expect(home.remembered, is: nil)
    expect(
      failure { try home.keychain(kind: .secretService).items(matching: .all) },
      is: .collectionLocked("login"))
    expect(access(home.location.vaultFolder, F_OK) != 0)
  }
}
