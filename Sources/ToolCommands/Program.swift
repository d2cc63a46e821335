import Bytes
import CLinux
import CredentialProtocols
import EncryptedFile
import Glibc
package import Keychain

/// The running program, whichever executable it is, under any name.
package enum Program {
  /// The version of all executables (Semantic Versioning 2.0.0).
  package static let version = "0.1.0"

  // Set once, before anything else runs.
  nonisolated(unsafe) package private(set) static var secretService: SecretServiceAccess?

  /// This program in the role of an agent, which keeps a vault unlocked.
  static let agent = AgentProgram(path: "/proc/self/exe", name: "llavero-agent")

  /// The version, and the commit that this program was built from if that is known: `0.1.0 (487e5a5b 2026-11-30)`.
  package static var wholeVersion: String { version(of: clinux_commit().map { String(cString: $0) }) }

  package static var versionLine: String { "llavero \(wholeVersion)\n" }

  /// - Parameter commit: its name and its date; `nil` if it isn't known.
  static func version(of commit: String?) -> String { version + (commit.map { " (\($0))" } ?? "") }

  /// The program's name in its first argument, without the folder.
  package static let name = CString.argument(at: 0).map { path in
    strrchr(path.pointer, 0x2f).map { String(cString: $0 + 1) } ?? path.text
  }

  /// Prepares the process. If the program has started itself as an agent, it becomes that here, and doesn't return.
  ///
  /// - Parameter secretService: opens the Secret Service; only `llavero-secret-service` passes one.
  package static func begin(secretService: SecretServiceAccess? = nil) {
    self.secretService = secretService
    ProcessSettings.make()
    StandardStreams.occupy()
    if secretService != nil { SecretServiceCompanion.checkCaller() }
    if name == CopyRefresher.name { CopyRefresher.main() }
    if name == agent.name {
      clinux_refuse_core_for_good()
      Agent.main()
      end(
        KeychainError(
          "llavero starts its agent by itself", hint: "see 'llavero unlock --help'", status: .usage))
    }
  }

  /// Answers the tool that called, and returns the exit status; `nil` if no tool did.
  ///
  /// `git-credential-llavero` is a link to this program. Without links, `git-credential` as the first operand does the
  /// same.
  package static func answerTool() throws(KeychainError) -> Int32? {
    if name == GitCredentialCommand.name {
      try GitCredentialCommand.run(CString.bytesOfArguments(from: 1))
      return ExitStatus.done.rawValue
    }
    if let name, let tool = Tool.called(name) { return ToolCommand.run(tool, as: name, argumentsFrom: 1) }
    guard let operand = CString.argument(at: 1)?.text else { return nil }
    if operand == GitCredentialCommand.operand {
      try GitCredentialCommand.run(CString.bytesOfArguments(from: 2))
      return ExitStatus.done.rawValue
    }
    if let tool = Tool.named(operand) { return ToolCommand.run(tool, as: tool.programName, argumentsFrom: 2) }
    return nil
  }

  package static func end(_ status: Int32) -> Never {
    // Nothing is buffered, and the exit handlers of libraries take time.
    _exit(status)
  }

  package static func end(_ error: KeychainError) -> Never {
    let failure = error.failure
    failure.report()
    exit(failure.status.rawValue)
  }

  package static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(VaultLocation.environmentVariable($0) ?? "").isEmpty }
  }

  /// A boolean environment variable, read as git reads them; `nil` if it isn't set.
  static func environmentFlag(_ name: String) -> Bool? {
    VaultLocation.environmentVariable(name).map {
      !["0", "false", "no", "off", ""].contains($0.lowercased())
    }
  }
}
