import Expectations
import TestSupport
import Testing

@Suite("a keychain with a passphrase", .timeLimit(.minutes(60))) struct PassphraseOptionTests {
  @Test("--passphrase-fd opens the keychain with the right passphrase alone")
  func flows() async throws {
    let sandbox = Sandbox()
    let setUp = try await sandbox.run(
      "printf 'correct horse\\n' >right; printf wrong >wrong; : >empty; llavero init --passphrase-fd 3 3<right"
    )
    expect(setUp.status, is: 0)
    expect(sandbox.mode(".local/state/llavero/identity.txt"), is: nil)
    let store = try await sandbox.run(
      "git-credential-llavero --passphrase-fd=3 store 3<right",
      input: Array("protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n".utf8))
    expect(store, is: Transcript.Outcome())
    for (command, output, status) in [
      ("llavero get https://example.com --passphrase-fd 3 3<right", "s3cret\n", 0),
      ("llavero get https://example.com --passphrase-fd 3 3<wrong", "", 2),
      ("llavero get https://example.com --passphrase-fd 3 3<empty", "", 2),
      ("llavero get https://example.com --passphrase-fd 3 3<&-", "", 2),
      ("llavero get https://example.com", "", 2),
      ("llavero get https://other.example --passphrase-fd 3 3<right", "", 1),
    ] as [(String, String, Int32)] {
      let outcome = try await sandbox.run(command)
      expect(outcome.output, is: output, "\(command)")
      expect(outcome.status, is: status, "\(command)")
      expect(outcome.errors.isEmpty, is: status == 0, "\(command)")
      expect(!outcome.errors.contains("horse") && !outcome.errors.contains("s3cret"))
    }
  }

  @Test("a locked keychain answers git with an error, and not with nothing")
  func locked() async throws {
    let sandbox = Sandbox()
    _ = try await sandbox.run("printf pass >right; llavero init --passphrase-fd 3 3<right")
    let request = Array("protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n".utf8)
    let before = sandbox.read(".local/share/llavero/vault.age")
    for operation in ["get", "store", "erase"] {
      let outcome = try await sandbox.run("git-credential-llavero \(operation)", input: request)
      expect(outcome.status, is: 2)
      expect(outcome.output, is: "")
      expect(outcome.errors.contains("is locked"))
    }
    expect(sandbox.read(".local/share/llavero/vault.age"), is: before)
  }
}
