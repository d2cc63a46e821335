import EncryptedFile
import Expectations
import Glibc
import Keychain
import KeychainChoice
import SecretService
import TestSupport
import Testing

@testable import DefaultKeychain

@Suite("the user's keychain", .timeLimit(.minutes(60))) struct ChoosingTests {
  @Test("without a Secret Service it is the encrypted file, which the first add makes and remembers")
  func file() throws {
    let home = Home()
    let keychain = try home.keychain()
    try expect(keychain.items(matching: .all), is: [])
    let choice = try keychain.choice()
    guard choice.kind == .file, case .noService(let why) = choice.reason else {
      Issue.record("\(choice)")
      return
    }
    expect("\(why)".contains("cannot connect to the session bus"))
    try expect(home.remembered, is: nil)
    expect(access(home.location.vaultFolder, F_OK) != 0)
    try keychain.add(.internet(account: "alice"), "s3cret")
    try expect(home.remembered, is: .file)
    expect(home.notices.all, is: [.encryptedFile(.created(home.location)), .remembered(choice)])
    try keychain.add(.internet(account: "bob"), "other")
    expect(home.notices.all.count, is: 2)
    try expect(EncryptedFileKeychain(at: home.location).items(matching: .all).count, is: 2)
    guard case .remembered = try home.keychain().choice().reason else {
      Issue.record("not remembered")
      return
    }
  }

  @Test("what is saved to the first of several keychains is remembered as an add is")
  func severalKeychains() throws {
    let home = Home()
    _ = try KeychainList.change(in: home.location.stateFolder) { list in
      list.putFirst([
        ListedKeychain(builtIn: .file), ListedKeychain("work", .file, at: home.location.vaultFolder + "-2"),
      ])
    }
    let keychain = try home.keychain()
    try expect(keychain.save(.internet(account: "alice"), Credential(Secret("s3cret"))), is: .added)
    try expect(home.remembered, is: .file)
    try expect(keychain.answeredSecret(.internet()), is: "s3cret")
    expect(keychain.searchList?.names, is: ["file", "work"])
  }

  @Test("a Secret Service that answers is used, remembered at the first add, and then never passed over")
  func secretService() throws {
    let home = Home(keyring: PrivateKeyring())
    let keychain = try home.keychain()
    try expect(keychain.items(matching: .all), is: [])
    try expect(keychain.choice(), is: KeychainChoice(kind: .secretService, reason: .answers))
    try expect(home.remembered, is: nil)
    let item = try keychain.add(.internet(account: "alice"), "s3cret")
    try expect(home.remembered, is: .secretService)
    expect(home.notices.all, is: [.remembered(KeychainChoice(kind: .secretService, reason: .answers))])
    try expect(keychain.secret(of: item), is: "s3cret")
    try expect(home.keyring?.keychain().items(matching: .all).count, is: 1)
    home.variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + home.folder["nothing"]
    let without = try home.keychain()
    for error in [
      failure { try without.items(matching: .all) },
      failure { try without.add(.internet(account: "bob"), "x") }, failure { try without.choice() },
    ] {
      guard case .unavailable? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    expect(access(home.location.vaultFolder, F_OK) != 0)
  }

  @Test("a keyring with nothing but a collection that is lost at the end is not taken")
  func unlasting() throws {
    let home = Home(keyring: PrivateKeyring())
    home.variables["LLAVERO_COLLECTION"] = "session"
    let choice = try home.keychain().choice()
    expect(
      choice,
      is: KeychainChoice(
        kind: .file,
        reason: .noService(.noCollection(nil))))
    home.variables["LLAVERO_COLLECTION"] = "nowhere"
    try expect(home.keychain().choice().kind, is: .file)
    home.variables["LLAVERO_KEYCHAIN"] = "secret-service"
    expect(failure { try home.keychain().items(matching: .all) }, is: .noCollection("nowhere"))
  }

  @Test("a vault that is there is used and not said, and a program's own kind comes first")
  func vaultIsThere() throws {
    let home = Home(keyring: PrivateKeyring())
    try EncryptedFileKeychain(at: home.location).create(.identityFile)
    try expect(home.keychain().choice(), is: KeychainChoice(kind: .file, reason: .vaultIsThere))
    let own = try home.keychain(kind: .secretService)
    try own.add(.internet(account: "alice"), "s3cret")
    try expect(own.choice(), is: KeychainChoice(kind: .secretService, reason: .option))
    try expect(home.remembered, is: nil)
    expect(home.notices.all, is: [])
    try expect(home.keychain().accounts(), is: [])
  }

  @Test("a choice that is made later holds from the next call on, but not within a body")
  func laterChoice() throws {
    let home = Home(keyring: PrivateKeyring())
    let keychain = try home.keychain()
    let inService = try keychain.add(.internet(account: "service"), "s3cret")
    try keychain.exclusively { () throws(KeychainError) in
      _ = try RememberedKeychain.write(.file, in: home.location.stateFolder)
      try keychain.add(.internet(account: "second"), "x")
      _ = try keychain.reading { () throws(KeychainError) in try keychain.credential(of: inService) }
    }
    try expect(keychain.choice().kind, is: .file)
    try expect(keychain.accounts(), is: [])
    expect(failure { try keychain.credential(of: inService) }, is: .itemNotFound)
    try keychain.add(.internet(account: "file"), "x")
    try expect(keychain.accounts(), is: ["file"])
    _ = try RememberedKeychain.write(.secretService, in: home.location.stateFolder)
    try expect(keychain.accounts(), is: ["second", "service"])
  }

  @Test("a Secret Service that comes later is used as long as nothing was chosen")
  func laterService() throws {
    let keyring = PrivateKeyring()
    keyring.endKeyring()
    let home = Home(keyring: keyring)
    let keychain = try home.keychain()
    try expect(keychain.items(matching: .all), is: [])
    try expect(keychain.choice().kind, is: .file)
    keyring.restartKeyring()
    try expect(keychain.choice(), is: KeychainChoice(kind: .secretService, reason: .answers))
    keyring.endKeyring()
    // It has answered before, and is not skipped because it is away.
    guard case .unavailable? = failure({ try keychain.items(matching: .all) }) else {
      Issue.record("it was available")
      return
    }
    keyring.restartKeyring()
    try expect(keychain.items(matching: .all), is: [])
  }

  @Test("an encrypted file that is missing is no empty one, whether it was chosen, seen or only stored in")
  func missingFile() throws {
    let home = Home()
    let keychain = try home.keychain()
    try keychain.add(.internet(account: "alice"), "s3cret")
    let location = home.location
    let error = KeychainError.missing(path: location.vaultFile)
    expect(rename(location.vaultFolder, home.folder["away"]), is: 0)
    func expectRefusals(_ keychain: DefaultKeychain) {
      expect(failure { try keychain.accounts() }, is: error)
      expect(failure { try keychain.add(.internet(account: "bob"), "x") }, is: error)
      expect(failure { try keychain.exclusively { () throws(KeychainError) in } }, is: error)
      expect(failure { try keychain.revisions() }, is: error)
      expect(keychain.probe(), is: .unavailable(error))
    }
    expectRefusals(keychain)
    expectRefusals(try home.keychain())
    expectRefusals(try home.keychain(kind: .file))
    // Nothing but the choice is left.
    unlink(location.identityFile)
    for name in home.folder.tree() where name.hasSuffix(".seen") { unlink(home.folder[name]) }
    expectRefusals(try home.keychain())
    expect(!home.folder.tree().contains { $0.hasPrefix(".local/share/llavero") })
    expect(rename(home.folder["away"], location.vaultFolder), is: 0)
  }

  @Test("a body that fails has stored nothing, and chosen nothing")
  func failingBody() throws {
    let home = Home()
    let keychain = try home.keychain()
    let error = failure {
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.add(.internet(), "x")
        throw KeychainError.promptDismissed
      }
    }
    expect(error, is: .promptDismissed)
    expect(failure { try keychain.add(.internet(account: "a\nb"), "x") } != nil)
    try expect(home.remembered, is: nil)
    expect(home.notices.all, is: [])
    try keychain.exclusively { () throws(KeychainError) in
      try keychain.add(.internet(), "x")
      expect(home.notices.all, is: [])
    }
    try expect(home.remembered, is: .file)
    expect(home.notices.all.count, is: 2)
  }

  @Test("a choice that can't be written down is said, and the item is stored all the same")
  func notRemembered() throws {
    let home = Home(keyring: PrivateKeyring())
    let keychain = try home.keychain()
    _ = try keychain.choice()
    // The lock of the Secret Service is in the same folder.
    home.folder.makeFolder(".local/state/llavero/keychain/in the way")
    expect(failure { try keychain.items(matching: .all) } != nil)
    rmdir(home.folder[".local/state/llavero/keychain/in the way"])
    rmdir(home.folder[".local/state/llavero/keychain"])
    try keychain.exclusively { () throws(KeychainError) in
      home.folder.makeFolder(".local/state/llavero/keychain/in the way")
      try keychain.add(.internet(account: "alice"), "s3cret")
    }
    guard case .notRemembered(let choice, _)? = home.notices.all.last else {
      Issue.record("\(home.notices.all)")
      return
    }
    expect(choice.reason, is: .answers)
    try expect(home.keyring?.keychain().items(matching: .all).count, is: 1)
  }

  @Test("what can't be understood is an error when the object is made")
  func unusable() throws {
    let home = Home()
    home.variables["LLAVERO_KEYCHAIN"] = "kwallet"
    expect(failure { try home.keychain() }, is: .noKeychain("kwallet"))
    home.variables["LLAVERO_KEYCHAIN"] = nil
    home.folder.makeFolder(".local/state/llavero")
    home.folder.write(Array("/nonsense".utf8), to: ".local/state/llavero/keychain")
    let path = home.folder[".local/state/llavero/keychain"]
    chmod(path, 0o600)
    expect(failure { try home.keychain() }, is: .choice(.unreadableChoice(path: path)))
    try expect(home.keychain(kind: .file).items(matching: .all), is: [])
    home.variables["HOME"] = "relative"
    expect(
      failure { try home.keychain() }, is: .unavailable(reason: "HOME is not set to an absolute path"))
  }

  @Test("a setting that can't be understood is an error where the keychain is used that it is about")
  func unusableSettings() throws {
    let home = Home()
    home.variables["LLAVERO_UNLOCK_CACHE"] = "x"
    let fault = KeychainChoiceFault.unusableSetting(name: "LLAVERO_UNLOCK_CACHE", .noUnlockCacheMode)
    expect(failure { try home.keychain(kind: .file).choice() }, is: .choice(fault))
    home.variables["LLAVERO_UNLOCK_CACHE"] = nil
    home.variables["LLAVERO_PROBE_TIMEOUT"] = "x"
    try expect(home.keychain(kind: .file).choice().kind, is: .file)
    expect(failure { try home.keychain().choice() } != nil)
  }
}
