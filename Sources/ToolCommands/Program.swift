import CLinux
import CredentialProtocols
import EncryptedFile
import Glibc
import Processes
package import Terminals
import UnlockCache

/// The program, whichever executable it is and whichever name it is called by.
package enum Program {
  /// The version of all executables (Semantic Versioning 2.0.0).
  package static let version = "0.1.0"

  // Set once, before anything else runs.
  nonisolated(unsafe) package private(set) static var secretService: SecretServiceProvider?

  /// This program, as what keeps a vault unlocked where the kernel's keyring can't be used.
  static let agent = AgentProgram(path: "/proc/self/exe", name: "llavero-agent")

  package static let versionLine = "llavero \(version)\n"

  /// The name that the program was called by, without the folder; `nil` if it was called by none.
  package static let name = CString.argument(at: 0).map { path in
    strrchr(path.pointer, 0x2f).map { String(cString: $0 + 1) } ?? path.text
  }

  /// Prepares the process. Where this program has started itself as agent, it is that from here on, and ends as that.
  ///
  /// - Parameter secretService: the way to the Secret Service, which only `llavero-secret-service` has.
  package static func begin(secretService: SecretServiceProvider? = nil) {
    self.secretService = secretService
    ProcessSettings.make()
    StandardStreams.occupy()
    if name == agent.name {
      clinux_refuse_core_for_good()
      Agent.main()
      end(Failure("llavero starts its agent by itself", hint: "see 'llavero unlock --help'", status: .usage))
    }
  }

  /// Carries out what a tool asks for, if it is one that calls, and returns the status to end with; `nil` if none does.
  ///
  /// `git-credential-llavero` is a link to this program; `git-credential` as its first operand is the same for where
  /// there are no links.
  ///
  /// - Throws: ``Failure``.
  package static func answerTool() throws(Failure) -> Int32? {
    if name == GitCredentialCommand.name {
      try GitCredentialCommand.run(CString.texts(from: 1))
      return Status.done.rawValue
    }
    if let name, let tool = Tool.called(name) { return ToolCommand.run(tool, as: name, argumentsFrom: 1) }
    guard let operand = CString.argument(at: 1)?.text else { return nil }
    if operand == GitCredentialCommand.operand {
      try GitCredentialCommand.run(CString.texts(from: 2))
      return Status.done.rawValue
    }
    if let tool = Tool.named(operand) { return ToolCommand.run(tool, as: tool.programName, argumentsFrom: 2) }
    return nil
  }

  /// Ends the process.
  package static func end(_ status: Int32) -> Never {
    // Nothing is buffered, and what others have registered for the end takes time.
    _exit(status)
  }

  /// Tells why it failed, and ends the process.
  package static func end(_ failure: Failure) -> Never {
    failure.report()
    exit(failure.status.rawValue)
  }

  /// A variable of the environment as git reads booleans; `nil` if it isn't set.
  static func environmentFlag(_ name: String) -> Bool? {
    VaultLocation.environmentVariable(name).map {
      !["0", "false", "no", "off", ""].contains($0.lowercased())
    }
  }
}
