import EncryptedFile
import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@Suite("readiness of a vault") struct ProbingTests {
  static let probes = [
    Scenario(
      "a vault that isn't made yet, or opens, is ready, and looking changes nothing",
      "1 probe = ready; 1 lacks @data @state; 1 adds a; 1 marks; 1 probe = ready; 1 same"),
    Scenario(
      "a vault with a passphrase is locked, nobody is asked, and ready once it was opened",
      """
      1 creates right; 1'(right) probe = locked locked vault; asked = ; 1'(right) count = 0; asked = 1
      1'(right) probe = ready; asked = 
      """),
    Scenario(
      "a vault whose key is gone can't be used",
      "1 adds a; 1 removes identity; 1 probe = unavailable missing identity"),
    Scenario(
      "a vault that is damaged anywhere can't be used",
      "1 adds a; 1 writes vault 1/vault^; 1 probe = unavailable damaged vault …"),
    Scenario(
      "a folder that others may enter can't be used",
      "1 adds a; 1 mode @data/llavero 755; 1 probe = unavailable unsafeFile @data/llavero mode 493"),
    Scenario(
      "a lock that somebody holds keeps it from being written",
      "1 adds a; 1 locks; 1 probe = notWritable busy lock seconds: 1; 1 unlocks; 1 probe = ready"),
    Scenario(
      "a file in the way of the folder can't be used",
      "1 writes @data []; 1 probe = unavailable unsafeFile @data/llavero wrongKind"),
  ]

  @Test("of which", arguments: probes) func play(scenario: Scenario) throws { try scenario.run() }

  @Test("a file system without room is seen, also above a folder that isn't there yet")
  func room() throws {
    let folder = TemporaryFolder()
    let place = try FutureFolder(folder["not/yet/there"])
    try place.check(room: 1)
    #expect(throws: KeychainError.system(operation: "write to", path: folder.path, errno: ENOSPC)) {
      try place.check(room: 1 << 60)
    }
  }
}
