import EncryptedFile
import Keychain
import TestSupport
import Testing

@Suite("Where the vault is")
struct LocationTests {
  private func location(_ environment: [String: String]) throws -> VaultLocation {
    try VaultLocation { environment[$0] }
  }

  private let homeless = KeychainError.unavailable(reason: "HOME is not set to an absolute path")

  @Test("below the home folder")
  func home() throws {
    let location = try location(["HOME": "/home/u"])
    #expect(location.vaultFile == "/home/u/.local/share/llavero/vault.age")
    #expect(location.identityFile == "/home/u/.local/state/llavero/identity.txt")
  }

  @Test("below XDG_DATA_HOME and XDG_STATE_HOME, each by itself")
  func variables() throws {
    #expect(
      try location(["HOME": "/h", "XDG_DATA_HOME": "/d"])
        == VaultLocation(vaultFolder: "/d/llavero", stateFolder: "/h/.local/state/llavero"))
    #expect(
      try location(["HOME": "/h", "XDG_STATE_HOME": "/s"])
        == VaultLocation(vaultFolder: "/h/.local/share/llavero", stateFolder: "/s/llavero"))
  }

  @Test("relative and empty variables don't count", arguments: ["", "data", "./data", "~/data", " /data"])
  func relative(value: String) throws {
    let expected = try location(["HOME": "/h"])
    #expect(try location(["HOME": "/h", "XDG_DATA_HOME": value, "XDG_STATE_HOME": value]) == expected)
    #expect(failure { try location(["XDG_DATA_HOME": value, "XDG_STATE_HOME": "/s"]) } == homeless)
  }

  @Test("without HOME only where it isn't needed", arguments: [nil, "", "relative", "~"])
  func noHome(home: String?) throws {
    var environment = ["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"]
    environment["HOME"] = home
    #expect(try location(environment) == VaultLocation(vaultFolder: "/d/llavero", stateFolder: "/s/llavero"))
    environment["XDG_STATE_HOME"] = nil
    #expect(failure { try location(environment) } == homeless)
  }

  @Test("not in another folder because a path is not UTF-8")
  func otherBytes() throws {
    let path = String(decoding: [0x2f, 0xff], as: UTF8.self)
    for variable in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
      let error = KeychainError.unavailable(reason: "the path in \(variable) is not UTF-8")
      #expect(failure { try location(["HOME": "/h"].merging([variable: path]) { $1 }) } == error)
    }
  }

  @Test("folders that are missing are made, with those above them, for this user alone")
  func deepFolders() throws {
    let place = Place()
    let location = VaultLocation(
      vaultFolder: place.path + "/a//b/c/llavero", stateFolder: place.path + "/x/y/llavero/")
    let keychain = EncryptedFileKeychain(at: location)
    try keychain.add(servers: ["a.example"])
    #expect(try EncryptedFileKeychain(at: location).servers() == ["a.example"])
    for (path, facts) in try place.everything() where facts.isFolder {
      #expect(facts.mode & 0o7777 == 0o700, "\(path)")
    }
  }
}
