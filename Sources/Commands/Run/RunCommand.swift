import Bytes
import CredentialProtocols
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

/// `llavero run`: runs a program with secrets in its environment. It passes the arguments after `--` on byte for byte,
/// so it starts without ArgumentParser.
enum RunCommand {
  static let usage = """
    usage: llavero run [OPTION...] [--env NAME=REFERENCE]... [--env-file FILE]...
                       [--netrc-file [HOST...]] [--mask] -- PROGRAM [ARGUMENT...]
           llavero run --trust [--yes] [--json] | --no-trust

    Runs a program with secrets in its environment. A reference names a secret:

      llavero://SERVICE/ACCOUNT       a generic password; ACCOUNT may be left out
      llavero+https://USER@HOST/PATH  an internet password, as for 'llavero get'

    With ?field=account, code, expiry, url or another attribute's name after it, a
    reference names that part of the item. Inside a value it is written in braces:
    'postgres://app:${llavero://db/app}@db.example'. References in variables that
    llavero is given are resolved as well.

      --env NAME=REFERENCE    sets a variable to the secret; an item's name does as
                              well, as for 'llavero get'
      --exact                 takes only whole names, as in scripts
      --env-file FILE         sets variables from a file, as Docker Compose reads
                              it, in place of this folder's .env.llavero
      --no-env-file           leaves .env.llavero alone
      --netrc-file [HOST...]  makes a netrc file of the logins for the hosts, or
                              all, for as long as the program runs, and sets NETRC
                              to its path
      --mask                  hides the secrets in the program's output, where that
                              isn't a terminal
      --trust                 shows what this folder's .env.llavero sets, and has
                              'llavero run' read it here from now on, as long as it
                              stays as it is; --no-trust takes that back
      --keychain NAME, --collection NAME, --session KIND, --passphrase-fd N,
      --no-prompt             as for git-credential-llavero(1)

    If a secret is missing, or .env.llavero isn't trusted, nothing is run. See
    llavero-run(1).

    """

  private struct Options {
    var selection = KeychainSelection()
    var assignments: [VariableAssignment] = []
    var files: [CString] = []
    /// `--netrc-file`; `nil` if the option isn't given.
    var hosts: [ByteString]?
    var program: [CString] = []
    var masks = false
    var wantsHelp = false
    /// Whether to read this folder's file, if no other one is named.
    var readsFolder = true
    /// `--exact`
    var isExact = false
    /// `--trust` or `--no-trust`.
    var trusting: String?
    var trust = TrustingVariables()

    init(parsing arguments: [CString]) throws(KeychainError) {
      selection.readsSecrets = true
      var reader = ArgumentReader(arguments.map(\.bytes))
      func value() throws(KeychainError) -> ByteString { try reader.value() }
      while let word = reader.next() {
        switch word {
        case .end:
          program = arguments.suffix(reader.rest.count)
          return
        case .operand:
          throw .failure(
            "a program has to stand after '--'", hint: "as in: llavero run --env NAME=REFERENCE -- PROGRAM",
            status: .usage)
        case .option("--env"): assignments.append(try VariableAssignment(value()))
        case .option("--env-file"): files.append(CString(copying: try value()))
        case .option("--netrc-file"): hosts = (hosts ?? []) + reader.values()
        case .option("--mask"): masks = true
        case .option("--exact"): isExact = true
        case .option("--no-env-file"): readsFolder = false
        case .option("--trust"): trusting = "--trust"
        case .option("--no-trust"): trusting = "--no-trust"
        case .option("--yes"): trust.isConfirmed = true
        case .option("--json"): trust.writesJSON = true
        case .option("--help"), .option("-h"): wantsHelp = true
        case .option(let name):
          if !(try selection.take(name) { () throws(KeychainError) in "\(try value())" }) {
            throw .failure("unknown option \(name)", hint: "see 'llavero run --help'", status: .usage)
          }
        }
      }
    }

    var needsKeychain: Bool { !assignments.isEmpty || !files.isEmpty || hosts != nil }

    /// This folder's file, if it is to be read.
    ///
    /// - Throws: ``KeychainError`` if it isn't trusted.
    func folderVariables() throws(KeychainError) -> FolderVariables? {
      guard readsFolder, files.isEmpty, let found = try FolderVariables.find() else { return nil }
      try found.requireTrust()
      return found
    }

    /// - Throws: ``KeychainError`` if options don't belong together.
    func check() throws(KeychainError) {
      let hint: Hint = "see 'llavero run --help'"
      if let trusting {
        guard program.isEmpty, !needsKeychain, readsFolder, !masks else {
          throw .failure("\(trusting) runs no program and takes no other options", hint: hint, status: .usage)
        }
      } else if trust.isConfirmed || trust.writesJSON {
        throw .failure("--yes and --json are for --trust", hint: hint, status: .usage)
      } else if program.isEmpty {
        throw .failure("no program was given", hint: hint, status: .usage)
      }
    }
  }

  /// Replaces the process with the program, or runs it, and returns the exit status.
  ///
  /// - Throws: ``KeychainError`` if a secret is missing, the keychain can't be used or the call is wrong. Nothing has run
  ///   then.
  static func run(_ arguments: [CString]) throws(KeychainError) -> Int32 {
    let options = try Options(parsing: arguments)
    if options.wantsHelp {
      try NarrowHelp.write(usage)
      return ExitStatus.done.rawValue
    }
    try options.check()
    if let trusting = options.trusting {
      return try trusting == "--trust" ? options.trust.trust(options.selection) : options.trust.revoke()
    }
    let program = ProgramRun(options.program)
    var environment = ProgramEnvironment()
    var netrc: Secret?
    var mask: SecretMask?
    let folder = try options.folderVariables()
    if options.needsKeychain || folder != nil || ProgramVariables.areInherited {
      // Before any file is read, because a file may be a pipe.
      let opener = try options.selection.chooseOrExec()
      var named: NamedVariables?
      if options.assignments.contains(where: \.namesItem) {
        named = NamedVariables(
          isExact: options.isExact, selection: options.selection, open: try opener.open())
      }
      let variables = try variables(options, folder, named)
      let references = variables.references
      var resolved = ResolvedReferences()
      if !references.isEmpty || options.hosts != nil {
        let open = if let named { named.open } else { try opener.open() }
        resolved = try ResolvedReferences(references, in: open)
        if let hosts = options.hosts {
          netrc = try NetrcText.text(for: hosts, in: open.keychain, at: .now)
        }
      }
      try variables.set(in: &environment, resolved)
      if options.masks { mask = SecretMask(resolved, variables) }
    }
    program.prepare(options.selection)
    switch consume netrc {
    case .some(let text): return try run(program, &environment, mask, with: text)
    case .none:
      if mask == nil { return program.become(environment) }
      return try program.wait(try SupervisedProgram(), environment, mask)
    }
  }

  /// The variables to set: those of the files, then those of the command line, then inherited ones.
  private static func variables(
    _ options: Options, _ folder: borrowing FolderVariables?, _ named: NamedVariables?
  ) throws(KeychainError) -> ProgramVariables {
    var variables = ProgramVariables()
    switch folder {
    case .some(let found): try variables.read(found.text, of: FolderVariables.name)
    case .none: break
    }
    for file in options.files {
      try variables.read(try NamedFile.contents(of: file, limit: EnvironmentFile.longest), of: file.text)
    }
    for assignment in options.assignments {
      if let named, assignment.namesItem {
        variables.set(assignment.name, secret: try named.secret(for: assignment))
        continue
      }
      try Secret(copying: assignment.value).withUnsafeBytes { (text) throws(KeychainError) in
        try variables.set(assignment.name, text)
      }
    }
    try variables.inherit()
    return variables
  }

  private static func run(
    _ program: ProgramRun, _ environment: inout ProgramEnvironment, _ mask: SecretMask?,
    with netrc: borrowing Secret
  ) throws(KeychainError) -> Int32 {
    // This comes first, so that no signal leaves the file behind.
    let supervised = try SupervisedProgram()
    let file = try TemporaryFile(.netrc, netrc)
    ByteString(file.path).bytes.withUnsafeBytes { environment.set("NETRC", $0) }
    return try program.wait(supervised, environment, mask)
  }
}
