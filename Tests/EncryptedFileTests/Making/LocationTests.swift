import EncryptedFile
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@Suite("Where the vault is")
struct LocationTests {
  private func location(_ environment: [String: String]) throws -> VaultLocation {
    try VaultLocation { environment[$0] }
  }

  private let homeless = KeychainError.unavailable(reason: "HOME is not set to an absolute path")

  @Test("below the home folder, or below XDG_DATA_HOME and XDG_STATE_HOME, each by itself")
  func variables() throws {
    let share = "/h/.local/share/llavero"
    let state = "/h/.local/state/llavero"
    for (variables, data, ownState) in [
      ([:], share, state), (["XDG_DATA_HOME": "/d"], "/d/llavero", state),
      (["XDG_STATE_HOME": "/s"], share, "/s/llavero"),
    ] {
      let location = try location(["HOME": "/h"].merging(variables) { $1 })
      expect(location, is: VaultLocation(vaultFolder: data, stateFolder: ownState))
      expect(location.vaultFile == data + "/vault.age" && location.identityFile == ownState + "/identity.txt")
    }
  }

  @Test("relative and empty variables don't count", arguments: ["", "data", "./data", "~/data", " /data"])
  func relative(value: String) throws {
    let expected = try location(["HOME": "/h"])
    try expect(location(["HOME": "/h", "XDG_DATA_HOME": value, "XDG_STATE_HOME": value]), is: expected)
    expect(failure { try location(["XDG_DATA_HOME": value, "XDG_STATE_HOME": "/s"]) }, is: homeless)
  }

  @Test("without HOME only where it isn't needed", arguments: [nil, "", "relative", "~"])
  func noHome(home: String?) throws {
    var environment = ["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"]
    environment["HOME"] = home
    try expect(location(environment), is: VaultLocation(vaultFolder: "/d/llavero", stateFolder: "/s/llavero"))
    environment["XDG_STATE_HOME"] = nil
    expect(failure { try location(environment) }, is: homeless)
  }

  @Test("not in another folder because a path is not UTF-8")
  func otherBytes() throws {
    let path = String(decoding: [0x2f, 0xff], as: UTF8.self)
    for variable in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
      let error = KeychainError.unavailable(reason: "the path in \(variable) is not UTF-8")
      expect(failure { try location(["HOME": "/h"].merging([variable: path]) { $1 }) }, is: error)
    }
  }

  @Test("a home folder that doesn't exist is no empty keychain, and isn't made")
  func missingHome() throws {
    let place = Place()
    let home = place.path + "/home"
    for environment in [
      ["HOME": home], ["HOME": home, "XDG_DATA_HOME": place.path + "/d"],
      ["HOME": home, "XDG_STATE_HOME": place.path + "/s"],
      // Named, but in it all the same.
      ["HOME": home + "/", "XDG_DATA_HOME": home + "/d", "XDG_STATE_HOME": home + "/s"],
    ] {
      let home = environment["HOME"] ?? ""
      let keychain = EncryptedFileKeychain(at: try location(environment))
      let missing = KeychainError.missing(path: home)
      expect(failure { try keychain.exists() }, is: missing)
      expect(failure { try keychain.servers() }, is: missing)
      expect(failure { try keychain.add(servers: ["a.example"]) }, is: missing)
      expect(failure { try keychain.create(.identityFile) }, is: missing)
      expect(failure { try keychain.create(.identityFile, startingOver: true) }, is: missing)
      expect(keychain.probe().reason, is: missing)
    }
    try expect(place.everything().isEmpty)
    expect(mkdir(home, 0o700), is: 0)
    let keychain = EncryptedFileKeychain(at: try location(["HOME": home]))
    try expect(keychain.servers(), is: [])
    try keychain.add(servers: ["a.example"])
    rename(home, home + "-unmounted")
    let again = EncryptedFileKeychain(at: try location(["HOME": home]))
    expect(failure { try again.servers() }, is: .missing(path: home))
  }

  @Test("where the folders are named, the home folder doesn't matter")
  func unneededHome() throws {
    let place = Place()
    let environment = [
      "HOME": place.path + "/home", "XDG_DATA_HOME": place.path + "/d", "XDG_STATE_HOME": place.path + "/s",
    ]
    try expect(EncryptedFileKeychain(at: try location(environment)).servers(), is: [])
    try EncryptedFileKeychain(at: try location(environment)).add(servers: ["a.example"])
    try expect(EncryptedFileKeychain(at: try location(environment)).servers(), is: ["a.example"])
  }

  @Test("root makes no vault in the home folder of who has called sudo", .enabled(if: geteuid() == 0))
  func homeOfAnother() throws {
    let place = Place()
    let home = place.path + "/home"
    expect(mkdir(home, 0o755) == 0 && chown(home, 64_101, 64_101) == 0)
    let location = try location(["HOME": home, "SUDO_UID": "64101"])
    let refusal = KeychainError.unsafeFile(path: home, .owner(uid: 64_101))
    try expect(EncryptedFileKeychain(at: location).servers(), is: [])
    expect(failure { try EncryptedFileKeychain(at: location).add(servers: ["a.example"]) }, is: refusal)
    expect(failure { try EncryptedFileKeychain(at: location).create(.identityFile) }, is: refusal)
    expect(names(in: home).isEmpty)
    // Root's own folders, named, are another matter.
    let named = try self.location([
      "HOME": home, "SUDO_UID": "64101", "XDG_DATA_HOME": place.path + "/d",
      "XDG_STATE_HOME": place.path + "/s",
    ])
    try EncryptedFileKeychain(at: named).add(servers: ["a.example"])
    try expect(EncryptedFileKeychain(at: named).servers(), is: ["a.example"])
    // And so is what runs as root in a home that it was given.
    let given = try self.location(["HOME": home, "SUDO_UID": "1000"])
    try EncryptedFileKeychain(at: given).add(servers: ["a.example"])
  }

  @Test("folders that are missing are made, with those above them, for this user alone")
  func deepFolders() throws {
    let place = Place()
    let location = VaultLocation(
      vaultFolder: place.path + "/a//b/c/llavero", stateFolder: place.path + "/x/y/llavero/")
    let keychain = EncryptedFileKeychain(at: location)
    try keychain.add(servers: ["a.example"])
    try expect(EncryptedFileKeychain(at: location).servers(), is: ["a.example"])
    for (path, facts) in try place.everything() where facts.isFolder {
      expect(facts.mode & 0o7777, is: 0o700, "\(path)")
    }
  }
}
