import Bytes
import Glibc
import TestSupport
import Testing

/// A separate home with a keychain, in which the programs in `Programs` run, and llavero's commands.
final class ProgramHome: Sendable {
  /// The keychain that the programs use.
  enum Keychain: String, CaseIterable, CustomTestStringConvertible {
    case file
    case secretService = "secret-service"

    var testDescription: String { rawValue }
  }

  private let folder = TemporaryFolder()
  private let kind: Keychain
  private let empty: EmptyKeyring?

  /// Makes the home, with `security-programs`, `llavero` and `git-credential-llavero` on the PATH.
  init(_ kind: Keychain) {
    self.kind = kind
    empty = kind == .secretService ? EmptyKeyring() : nil
    for name in ["home", "bin", "tmp"] { folder.makeFolder(name) }
    let llavero = getenv("LLAVERO_TEST_EXECUTABLE").map { String(cString: $0) } ?? Self.built("llavero")
    for (name, path) in [
      ("security-programs", Self.built("security-programs")), ("llavero", llavero),
      ("git-credential-llavero", llavero),
    ] {
      precondition(symlink(path, folder["bin/\(name)"]) == 0, "cannot make a link")
    }
  }

  /// The path of an executable beside the test bundle.
  private static func built(_ name: String) -> String {
    guard let real = realpath("/proc/self/exe", nil) else { fatalError("cannot find this program") }
    defer { free(real) }
    let path = String(cString: real).split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(name)"
    guard access(path, X_OK) == 0 else { fatalError("there is no \(path); run 'swift build' first") }
    return path
  }

  /// The output of a command, and its exit status.
  struct Outcome: Equatable {
    var output = ""
    var errors = ""
    var status: Int32 = 0
  }

  /// Runs a shell command in the home.
  func run(_ command: String, input: String = "") async throws -> Outcome {
    let ended = try await TestProgram.run(
      ["sh", "-c", "cd\n\(command)"], input: Array(input.utf8), variables: environment)
    let errors = String(decoding: ended.errors, as: UTF8.self)
    guard case .exited(let status) = ended.ending else {
      throw Failure(command: command, ending: ended.ending.text, errors: errors)
    }
    return Outcome(output: String(decoding: ended.output, as: UTF8.self), errors: errors, status: status)
  }

  /// Runs a shell command that succeeds, and returns its output.
  func output(of command: String, input: String = "") async throws -> String {
    let outcome = try await run(command, input: input)
    guard outcome.status == 0 else {
      throw Failure(command: command, ending: "status \(outcome.status)", errors: outcome.errors)
    }
    return outcome.output
  }

  /// Locks the keychain, so that it can't be read without asking somebody; an encrypted file with the passphrase
  /// `correct horse`.
  func lock() async throws {
    switch kind {
    case .file:
      _ = try await output(
        of: """
          umask 077; cat >passphrase
          llavero slot add passphrase --new-passphrase-fd 3 3<passphrase
          llavero slot remove identity-file --passphrase-fd 3 3<passphrase
          rm passphrase
          """, input: "correct horse\n")
    case .secretService: _ = try await output(of: "llavero lock")
    }
  }

  private var environment: [String: String] {
    let general: [String: String] = [
      "HOME": folder["home"], "PATH": "\(folder["bin"]):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "TMPDIR": folder["tmp"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
      "LLAVERO_KEYCHAIN": kind.rawValue, "LLAVERO_UNLOCK_CACHE": "none",
    ]
    guard let keyring = empty?.keyring else {
      // Never the bus of the user who runs the tests.
      return general.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder["home"])/no-bus"]) { $1 }
    }
    return general.merging([
      "DBUS_SESSION_BUS_ADDRESS": keyring.address,
      // Many of these run at once on machines with few cores.
      "LLAVERO_PROBE_TIMEOUT": "30", "LLAVERO_CALL_TIMEOUT": "30",
    ]) { $1 }
  }

  /// A command that should have succeeded has failed.
  struct Failure: Error {
    let command: String
    let ending: String
    let errors: String
  }
}
