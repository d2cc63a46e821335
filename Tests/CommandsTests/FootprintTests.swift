import Expectations
import TestSupport
import Testing

@Suite("where the program writes", .timeLimit(.minutes(60))) struct FootprintTests {
  private let commands = [
    "git-credential-llavero get", "git-credential-llavero store", "git-credential-llavero store",
    "llavero list",
    "printf x | llavero add https://example.org --account bob", "llavero get https://example.org",
    "printf y | llavero update https://example.org", "llavero status --json",
    "llavero delete https://example.org",
    "git-credential-llavero erase", "llavero --help", "llavero nonsense", "llavero init",
  ]
  private let input = Array("protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n".utf8)

  /// The paths in order and without duplicates, with placeholders for parts that differ between runs.
  private static func written(_ paths: [String]) -> [String] {
    let named = paths.map { path in
      path.replacing(#/\d+-[0-9a-f]{8}\.age$/#, with: "N-MAC.age")
        .replacing(#/[0-9a-f-]{36}\.seen$/#, with: "UUID.seen")
        .replacing(#/newest-[0-9a-f]{16}$/#, with: "newest-MACHINE")
    }
    return Set(named).sorted()
  }

  /// What there is where the folder for data is `d`, and that for state `s`.
  private static let files = [
    "d/", "d/llavero/", "d/llavero/.vault.age.newest-MACHINE", "d/llavero/generations/",
    "d/llavero/generations/N-MAC.age", "d/llavero/lock", "d/llavero/vault.age", "s/", "s/llavero/",
    "s/llavero/UUID.seen", "s/llavero/identity.txt", "s/llavero/keychain", "s/llavero/machine",
  ]

  @Test("nothing is written outside the XDG folders of HOME, and what is written is for its owner alone")
  func home() async throws {
    let sandbox = Sandbox()
    let programs = sandbox.trees().bin
    for command in commands { _ = try await sandbox.run(command, input: input) }
    let trees = sandbox.trees()
    let files = Self.files.map { ($0.hasPrefix("d") ? ".local/share" : ".local/state") + $0.dropFirst() }
    expect(Self.written(trees.home), is: [".local/"] + files)
    expect(trees.temporary, is: [])
    expect(trees.bin, is: programs)
    for folder in ["share", "state"] { expect(sandbox.mode(".local/\(folder)/llavero"), is: 0o700) }
    for file in ["share/llavero/vault.age", "share/llavero/lock", "state/llavero/identity.txt"]
      + ["state/llavero/keychain"]
    {
      expect(sandbox.mode(".local/" + file), is: 0o600, "\(file)")
    }
  }

  @Test("XDG_DATA_HOME and XDG_STATE_HOME are used where they are absolute")
  func xdg() async throws {
    let sandbox = Sandbox()
    let variables = "XDG_DATA_HOME=\"$HOME/d\" XDG_STATE_HOME=\"$HOME/s\""
    for command in commands { _ = try await sandbox.run("export \(variables); \(command)", input: input) }
    expect(Self.written(sandbox.trees().home), is: Self.files)
    let relative = Sandbox()
    for command in commands {
      _ = try await relative.run("export XDG_DATA_HOME=d XDG_STATE_HOME=s; \(command)", input: input)
    }
    expect(!relative.trees().home.contains("d/"))
    expect(relative.trees().home.contains(".local/share/llavero/vault.age"))
  }

  @Test(
    "what only reads makes nothing at all",
    arguments: [
      "git-credential-llavero get", "git-credential-llavero erase", "git-credential-llavero capability",
      "git-credential-llavero future", "llavero list", "llavero list --json",
      "llavero get https://example.com",
      "llavero delete https://example.com", "llavero status", "llavero status --json",
      "printf x | llavero update https://example.com", "printf '' | llavero add https://example.com",
    ])
  func readers(command: String) async throws {
    let sandbox = Sandbox()
    _ = try await sandbox.run(command, input: input)
    expect(sandbox.trees().home, is: [])
  }

  @Test("neither account nor secret lies in the vault in the clear")
  func encrypted() async throws {
    let sandbox = Sandbox()
    _ = try await sandbox.run("git-credential-llavero store", input: input)
    let vault = String(decoding: try #require(sandbox.read(".local/share/llavero/vault.age")), as: UTF8.self)
    for word in ["example", "alice", "s3cret"] { expect(!vault.contains(word)) }
    expect(vault.hasPrefix("age-encryption.org/v1\n"))
  }
}
