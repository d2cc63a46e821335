import Bytes
import CredentialProtocols
import Glibc
import Keychain
import KeychainChoice
import Processes
import Terminals
import ToolCommands

/// `llavero run`: runs a program with secrets in its environment. The arguments after `--` are passed on byte for byte,
/// so this command starts without ArgumentParser.
enum RunCommand {
  static let usage = """
    usage: llavero run [OPTION...] [--env NAME=REFERENCE]... [--env-file FILE]...
                       [--netrc-file [HOST...]] -- PROGRAM [ARGUMENT...]

    Runs a program with secrets in its environment. A reference names a secret:

      llavero://SERVICE/ACCOUNT       a generic password; ACCOUNT may be left out
      llavero+https://USER@HOST/PATH  an internet password, as for 'llavero get'

      --env NAME=REFERENCE    sets a variable to the secret
      --env-file FILE         sets variables from lines NAME=VALUE; values that are
                              references to their secrets
      --netrc-file [HOST...]  makes a netrc file of the logins for the hosts, or
                              all, for as long as the program runs, and sets NETRC
                              to its path
      --keychain NAME, --collection NAME, --session KIND, --passphrase-fd N,
      --no-prompt             as for git-credential-llavero(1)

    If a secret is missing, nothing is run. See llavero-run(1).

    """

  /// The exit statuses that shells use for a program that can't be executed, and for one that isn't found.
  private static let cannotExecute: Int32 = 126
  private static let notFound: Int32 = 127

  /// The options of the command line.
  private struct Options {
    var selection = KeychainSelection()
    var assignments: [ByteString] = []
    var files: [CString] = []
    /// The hosts of `--netrc-file`; `nil` if the option isn't given.
    var hosts: [ByteString]?
    var program: [CString] = []
    var wantsHelp = false

    init(parsing arguments: [CString]) throws(Failure) {
      selection.readsSecrets = true
      var reader = ArgumentReader(arguments.map(\.bytes))
      func value() throws(Failure) -> ByteString { try explaining(call: reader.value()) }
      while let word = reader.next() {
        switch word {
        case .end:
          program = arguments.suffix(reader.rest.count)
          return
        case .operand:
          throw Failure(
            "a program has to stand after '--'", hint: "as in: llavero run --env NAME=REFERENCE -- PROGRAM",
            status: .usage)
        case .option("--env"): assignments.append(try value())
        case .option("--env-file"): files.append(CString(copying: try value()))
        case .option("--netrc-file"): hosts = (hosts ?? []) + reader.values()
        case .option("--help"), .option("-h"): wantsHelp = true
        case .option(let name):
          if !(try selection.take(name) { () throws(Failure) in "\(try value())" }) {
            throw Failure("unknown option \(name)", hint: "see 'llavero run --help'", status: .usage)
          }
        }
      }
    }

    var needsKeychain: Bool { !assignments.isEmpty || !files.isEmpty || hosts != nil }
  }

  /// Replaces the process with the program, or runs it, and returns the exit status.
  ///
  /// - Throws: ``Failure`` if a secret is missing, the keychain can't be used or the call is wrong. Nothing has run
  ///   then.
  static func run(_ arguments: [CString]) throws(Failure) -> Int32 {
    let options = try Options(parsing: arguments)
    if options.wantsHelp {
      try StandardStreams.write(raw: usage)
      return ExitStatus.done.rawValue
    }
    guard let program = options.program.first else {
      throw Failure("no program was given", hint: "see 'llavero run --help'", status: .usage)
    }
    // GLib ignores SIGPIPE, and the program would inherit that.
    let brokenPipe = signal(SIGPIPE, SIG_DFL)
    signal(SIGPIPE, brokenPipe)

    var environment = ProgramEnvironment()
    var netrc: Secret?
    if options.needsKeychain {
      // Before any file is read, because a file may be a pipe.
      let selected = try options.selection.choose()
      let references = try variables(options, &environment)
      if !references.isEmpty || options.hosts != nil {
        let keychain = try selected.open().keychain
        try resolve(references, in: keychain, &environment)
        if let hosts = options.hosts {
          netrc = try explaining(call: NetrcText.text(for: hosts, in: keychain, at: .now))
        }
      }
    }
    if let descriptor = options.selection.passphraseDescriptor, descriptor > 2 { close(descriptor) }
    ProcessSettings.takeBack()
    signal(SIGPIPE, brokenPipe)
    let failure: Int32
    switch consume netrc {
    case .some(let text):
      switch try run(options.program, &environment, with: text) {
      case .ended(.exited(let status)): return status
      case .ended(.killed(let signal)): return 128 + signal
      case .failed(let number): failure = number
      }
    case .none: failure = become(options.program, environment)
    }
    StandardStreams.say("cannot run \(program.text): \(errorText(failure))")
    return failure == ENOENT || failure == ENOTDIR ? notFound : cannotExecute
  }

  /// A variable to set, with the text of the reference to its secret.
  private typealias Variable = (name: ByteString, text: ByteString, reference: SecretReference)

  /// Reads the variables to set. Values that aren't references are set at once.
  private static func variables(
    _ options: Options, _ environment: inout ProgramEnvironment
  ) throws(Failure) -> [Variable] {
    var references: [Variable] = []
    func set(_ name: ByteString, _ reference: SecretReference?, _ value: UnsafeRawBufferPointer) {
      references.removeAll { $0.name == name }
      if let reference {
        references.append((name, ByteString(value), reference))
      } else {
        environment.set(name, value)
      }
    }
    for file in options.files {
      let text = try contents(of: file)
      do throws(ProtocolError) {
        try text.withUnsafeBytes { (text) throws(ProtocolError) in
          try EnvironmentLines.forEach(in: text) { (line, name, value) throws(ProtocolError) in
            guard SecretReference.isMeant(by: value) else { return set(name, nil, value) }
            guard let reference = try? SecretReference(parsing: value) else {
              throw .unusableReference(line: line)
            }
            set(name, reference, value)
          }
        }
      } catch {
        let failure = Failure(error)
        throw Failure("\(file.text): \(failure.message)", hint: failure.hint, status: failure.status)
      }
    }
    for assignment in options.assignments {
      try Secret(copying: assignment).withUnsafeBytes { (text) throws(Failure) in
        // The text is not shown, because somebody may have written a secret there.
        guard let (name, value) = EnvironmentLines.pair(text), SecretReference.isMeant(by: value) else {
          throw Failure("--env needs NAME=REFERENCE", hint: Failure.references, status: .usage)
        }
        let reference = try explaining(call: SecretReference(parsing: value))
        set(name, reference, value)
      }
    }
    return references
  }

  private static func contents(of file: CString) throws(Failure) -> Secret {
    let descriptor = open(file.pointer, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      throw Failure("cannot open \(file.text): \(errorText(errno))", status: .usage)
    }
    defer { close(descriptor) }
    return try StandardStreams.readAll(descriptor, limit: EnvironmentLines.longest, what: file.text)
  }

  /// Sets each variable to its secret.
  ///
  /// - Throws: ``Failure`` that names every variable whose secret is missing.
  private static func resolve(
    _ references: [Variable], in keychain: any KeychainStore, _ environment: inout ProgramEnvironment
  ) throws(Failure) {
    var missing: [Variable] = []
    var unusable: [ByteString] = []
    try explaining(
      keychain.reading { () throws(KeychainError) in
        for variable in references {
          guard let answer = try keychain.answer(to: variable.reference.query, where: { _, _ in true }) else {
            missing.append(variable)
            continue
          }
          answer.credential.secret.withUnsafeBytes { secret in
            if secret.contains(0) { unusable.append(variable.name) }
            environment.set(variable.name, secret)
          }
        }
      })
    if !missing.isEmpty {
      throw Failure(
        "the keychain has no secret for \(missing.map { "\($0.name) (\($0.text))" }.joined(separator: ", "))",
        hint: hint(for: missing), status: .nothingMatched)
    }
    if !unusable.isEmpty {
      throw Failure(
        "the secret for \(list(unusable)) has a NUL byte in it, which no variable can hold", status: .keychain
      )
    }
  }

  /// What to do about missing secrets. People write a server where a service belongs.
  private static func hint(for missing: [Variable]) -> Hint {
    for variable in missing {
      guard case .genericPassword(let query) = variable.reference.query,
        query.service.bytes.contains(UInt8(ascii: ".")), HostAndPort(parsing: query.service) != nil
      else { continue }
      let reference = "llavero+https://\(query.service)"
      return "the login for that server would be \(words: reference); see what there is with 'llavero list'"
    }
    return "see what it has with 'llavero list'"
  }

  private static func list(_ names: [ByteString]) -> String {
    names.map { "\($0)" }.joined(separator: ", ")
  }

  /// Replaces the process with the program. Returns an `errno` only if the program can't be executed.
  private static func become(
    _ program: [CString], _ environment: borrowing ProgramEnvironment
  ) -> Int32 {
    environment.withPointers { variables in
      CString.withPointers(program) { arguments in
        ProgramSearch.run(program[0]) { path in
          execve(path, arguments, variables)
          return errno
        }
      }
    }
  }

  /// Runs the program with a netrc file, and waits for it.
  private static func run(
    _ program: [CString], _ environment: inout ProgramEnvironment, with netrc: borrowing Secret
  ) throws(Failure) -> SupervisedProgram.Outcome {
    // This comes first, so that no signal leaves the file behind.
    let supervised = try supervise()
    let file = try makeFile(netrc)
    ByteString(file.path).bytes.withUnsafeBytes { environment.set("NETRC", $0) }
    return supervised.run(program, environment)
  }

  private static func supervise() throws(Failure) -> SupervisedProgram {
    try explaining(SupervisedProgram())
  }

  private static func makeFile(_ contents: borrowing Secret) throws(Failure) -> TemporaryNetrc {
    do throws(KeychainError) {
      return try TemporaryNetrc(contents)
    } catch {
      throw Failure(error)
    }
  }
}
