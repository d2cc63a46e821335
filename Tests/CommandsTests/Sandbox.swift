import Bytes
import CredentialProtocols
import Glibc
import TestSupport

/// A separate home in which the real executable runs, with a clean environment and without a terminal.
final class Sandbox: Sendable {
  private let folder = TemporaryFolder()
  /// The path of the home.
  var home: String { folder["home"] }
  /// The path of the folder with the program under both of its names.
  var bin: String { folder["bin"] }
  /// The Secret Service on the sandbox's bus; `nil` if it has no bus.
  private let keyring: PrivateKeyring?

  /// Creates the home.
  ///
  /// - Parameter hasKeyring: whether to start a session bus with a keyring, whose process id is in `$KEYRING`.
  init(hasKeyring: Bool = false) {
    keyring = hasKeyring ? PrivateKeyring() : nil
    folder.makeFolder("home")
    folder.makeFolder("bin")
    folder.makeFolder("tmp")
    folder.makeFolder("plugins")
    let tests = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
    precondition(
      symlink("\(tests)/AgeTests/age-plugin-test", folder["plugins/age-plugin-test"]) == 0,
      "cannot make a link to a plugin")
    for name in ["llavero", "security"] { link(name, to: Self.executable) }
    for name in ["llavero-credential", "git-credential-llavero"]
      + Tool.all.flatMap({ $0.links + $0.standsInFor })
    {
      link(name, to: Self.toolsExecutable)
    }
    folder.write(Array(Self.changed.utf8), to: "bin/changed")
    chmod(folder["bin/changed"], 0o700)
  }

  /// The program `changed` of the transcripts.
  private static let changed = #"""
    #!/bin/sh
    before=$TMPDIR/changed-${1##*/}-$2
    touch "$before"
    "$@" >"$before.now"; status=$?
    diff --old-line-format='- %L' --new-line-format='+ %L' --unchanged-line-format= "$before" "$before.now"
    mv "$before.now" "$before"; exit "$status"

    """#

  private func link(_ name: String, to executable: String) {
    precondition(symlink(executable, "\(bin)/\(name)") == 0, "cannot make a link")
  }

  /// The path of the built executable: beside the test bundle, unless `LLAVERO_TEST_EXECUTABLE` names another.
  private static let executable: String = {
    if let named = getenv("LLAVERO_TEST_EXECUTABLE") { return String(cString: named) }
    guard let real = realpath("/proc/self/exe", nil) else { fatalError("cannot find this program") }
    defer { free(real) }
    let folder = String(cString: real).split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return built(folder + "/llavero")
  }()

  /// The executable that tools call, beside the other.
  private static let toolsExecutable = built(executable + "-credential")

  private static func built(_ path: String) -> String {
    guard access(path, X_OK) == 0 else { fatalError("there is no \(path); run 'swift build' first") }
    return path
  }

  /// The paths in the home, in the folder for temporary files, and in the folder of the program.
  func trees() -> (home: [String], temporary: [String], bin: [String]) {
    let all = folder.tree()
    func below(_ name: String) -> [String] {
      all.filter { $0.hasPrefix("\(name)/") && $0 != "\(name)/" }.map { String($0.dropFirst(name.count + 1)) }
    }
    return (below("home"), below("tmp"), below("bin"))
  }

  /// The permissions of a file in the home.
  func mode(_ name: String) -> mode_t? {
    var status = stat()
    return lstat("\(home)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// The bytes of a file in the home.
  func read(_ name: String) -> [UInt8]? { folder.read("home/\(name)") }

  /// Runs a shell command in the home.
  func run(_ command: String, input: [UInt8] = []) async throws -> Transcript.Outcome {
    let ended = try await TestProgram.run(
      ["sh", "-c", "cd\n\(command)"], input: input, variables: environment)
    guard case .exited(let status) = ended.ending else {
      throw Killed(command: command, status: ended.ending.text)
    }
    return Transcript.Outcome(output: shown(ended.output), errors: shown(ended.errors), status: status)
  }

  private var environment: [String: String] {
    let general: [String: String] = [
      "HOME": home, "PATH": "\(bin):/usr/bin:/bin", "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
      "TMPDIR": folder["tmp"],
      // Not on the PATH: an age plugin that does what its recipients and identities say.
      "PLUGINS": folder["plugins"],
      // Otherwise the vault unlocked by one step would stay unlocked for the next, for a time that differs between
      // runs.
      "LLAVERO_UNLOCK_CACHE": "none",
    ]
    guard let keyring else {
      // Never the bus of the user who runs the tests.
      return general.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home)/no-bus"]) { $1 }
    }
    return general.merging([
      "DBUS_SESSION_BUS_ADDRESS": keyring.address, "KEYRING": "\(keyring.process)",
      // Many of these run at once on machines with few cores.
      "LLAVERO_PROBE_TIMEOUT": "30", "LLAVERO_CALL_TIMEOUT": "30",
    ]) { $1 }
  }

  private func shown(_ bytes: [UInt8]) -> String {
    let text = Placeholders.text(bytes)
    return Placeholders.replacingVariable(
      keyring.map { text.replacing($0.address, with: "{BUS}") } ?? text, home: home, bin: bin)
  }

  /// An error: a signal ended the command, which must never happen.
  struct Killed: Error {
    let command: String
    let status: String
  }
}
