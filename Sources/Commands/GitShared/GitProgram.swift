import Bytes
import Glibc
import Keychain
import ToolCommands

/// git, for a repository of ours.
///
/// It gets no variables in which a git command running elsewhere describes its own repository, and no settings for one
/// command. The login for the remote comes from the person's own keychain, which `LLAVERO_KEYCHAIN` names.
/// ``SyncingMark`` says that finding it must not use or sync a shared keychain.
struct GitProgram {
  struct Answer: ~Copyable {
    let status: Int32
    let output: Secret
    let said: String
  }

  private let path: CString
  let folder: String
  /// The keychain that may provide the login for the remote.
  let personalKeychain: String
  /// Whether a person may be asked, by ssh for example.
  let mayAsk: Bool
  /// In milliseconds, for an operation.
  let timeout: Int

  /// The `GIT_` variables that it keeps. They concern the connection, never a repository.
  private static let kept: Set<String> = [
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "GIT_PROXY_SSL_CAINFO",
    "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_CIPHER_LIST", "GIT_SSL_KEY",
    "GIT_SSL_NO_VERIFY",
    "GIT_SSL_VERSION", "GIT_HTTP_USER_AGENT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
  ]

  /// For every command: no hook of the person's runs in this repository, and nothing goes on in the background.
  private static let settings = [
    "core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false", "core.fsmonitor=false",
    "core.logAllRefUpdates=false", "http.lowSpeedLimit=1", "http.lowSpeedTime=20",
    "advice.pushUpdateRejected=false", "core.askPass=", "log.showSignature=false", "push.gpgSign=false",
  ]

  /// Finds git on the PATH.
  ///
  /// - Throws: ``SharingFault/noGit``.
  init(
    at folder: String, personalKeychain: String, mayAsk: Bool, timeout: Int
  ) throws(SharingFault) {
    guard let path = ProgramSearch.path(of: CString("git")) else { throw .noGit }
    self.path = CString(copying: path)
    self.folder = folder
    self.personalKeychain = personalKeychain
    self.mayAsk = mayAsk
    self.timeout = timeout
  }

  /// Runs a git command.
  ///
  /// - Parameters:
  ///   - input: its standard input.
  ///   - limit: the longest output, in bytes.
  /// - Throws: ``SharingFault/tooSlow(operation:milliseconds:)``, and ``SharingFault/keychain(_:)`` if it can't be
  ///   started.
  func run(
    _ arguments: [String], sending input: borrowing Secret = Secret(), limit: Int = 1 << 20
  ) throws(SharingFault) -> Answer {
    var words = [path, CString("--git-dir"), CString(copying: folder)]
    for setting in Self.settings { words += [CString("-c"), CString(copying: setting)] }
    words += arguments.map { CString(copying: $0) }
    var variables = [
      ("LC_ALL", "C"), ("GIT_TERMINAL_PROMPT", "0"), ("LLAVERO_KEYCHAIN", personalKeychain),
      (SyncingMark.variable, "1"), ("LLAVERO_PROMPT", "never"),
    ]
    if !mayAsk { variables.append(("SSH_ASKPASS_REQUIRE", "never")) }
    let withheld = variables.map(\.0) + ["LANGUAGE", "SSH_ASKPASS"] + Self.variablesToWithhold
    let operation = arguments.first ?? ""
    let outcome = try SharingFault.ofKeychain { () throws(KeychainError) in
      try ProgramOutput.record(
        words, withholding: withheld, setting: variables.map { CString(copying: "\($0)=\($1)") },
        sending: input,
        timeout: timeout, limit: limit)
    }
    switch consume outcome {
    case .failed(.tooMuch(let limit)):
      throw .keychain(.tooLarge(what: "the output of git \(operation)", limit: limit))
    case .failed: throw .tooSlow(operation: operation, milliseconds: timeout)
    case .ended(let record):
      let status: Int32 =
        switch record.ending {
        case .exited(let status): status
        case .killed(let signal): 128 + signal
        }
      return Answer(
        status: status, output: record.output.copy(), said: String(decoding: record.errors, as: UTF8.self))
    }
  }

  /// Runs a command that has to succeed.
  ///
  /// - Throws: ``SharingFault`` from its messages, if it fails.
  func output(
    _ arguments: [String], sending input: borrowing Secret = Secret(), limit: Int = 1 << 20
  ) throws(SharingFault) -> Secret {
    let answer = try run(arguments, sending: input, limit: limit)
    guard answer.status == 0 else {
      throw SharingFault(arguments.first ?? "", status: answer.status, said: answer.said, isPush: false)
    }
    return answer.output.copy()
  }

  /// This process's variables that begin with `GIT_`, except ``kept``.
  private static var variablesToWithhold: [String] {
    var names: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      let name = text.prefix { $0 != "=" }
      if name.hasPrefix("GIT_"), !kept.contains(String(name)) { names.append(String(name)) }
      next += 1
    }
    return names
  }
}
