import Bytes
import Keychain
import ToolCommands

/// `llavero run --trust` and `--no-trust`: whether the variables of this folder are read without being named.
struct TrustingVariables {
  /// Whether to ask nobody.
  var isConfirmed = false
  var writesJSON = false

  /// Shows the variables of this folder's file, and trusts it as it is now. Asks a person at a terminal.
  ///
  /// - Throws: ``KeychainError`` if there is no file, it can't be read, or the person says no. Trust is then unchanged.
  func trust(_ selection: KeychainSelection) throws(KeychainError) -> Int32 {
    guard let file = try FolderVariables.find() else {
      throw .failure(
        "this folder has no \(FolderVariables.name)",
        hint: "write lines NAME=llavero://SERVICE/ACCOUNT into it; see llavero-run(1)",
        status: .nothingMatched)
    }
    var variables = ProgramVariables()
    try variables.read(file.text, of: FolderVariables.name)
    let shown = variables.shown
    if writesJSON {
      try TrustedFiles().add(file)
      try StandardStreams.write(Self.report(file.path, shown).jsonLine)
      return ExitStatus.done.rawValue
    }
    let text: TextForTerminal = "\(path: "\(file.path)") sets:\n" + Self.table(shown)
    switch isConfirmed ? nil : selection.confirms("Trust it, as long as it stays as it is?", showing: text) {
    case true: break
    case false: throw .failure("it isn't trusted", status: .nothingMatched)
    case nil: try StandardStreams.write(text)
    }
    try TrustedFiles().add(file)
    StandardStreams.say("'llavero run' reads \(file.path) from now on, as long as it stays as it is")
    return ExitStatus.done.rawValue
  }

  /// Ends the trust in this folder's file, even if that is gone.
  ///
  /// - Throws: ``KeychainError`` if it wasn't trusted.
  func revoke() throws(KeychainError) -> Int32 {
    let path = try FolderVariables.path()
    if try !TrustedFiles().remove(path) { throw .failure("\(path) wasn't trusted", status: .nothingMatched) }
    StandardStreams.say("\(path) isn't trusted any more")
    return ExitStatus.done.rawValue
  }

  /// Variables that change programs come last, so that no long list hides them, and their mark first, so that no long
  /// name does.
  private static func table(_ variables: [ShownVariable]) -> TextForTerminal {
    let risky = variables.filter { RiskyVariable.isOne($0.name) }
    let rows = (variables.filter { !RiskyVariable.isOne($0.name) } + risky).map { variable in
      [
        RiskyVariable.isOne(variable.name) ? "!" : "", "\(variable.name)",
        variable.references.map { "\($0)" }.joined(separator: ", "),
      ]
    }
    let table = columns([["", "VARIABLE", "REFERENCES"]] + rows, wrappedTo: TerminalStyle().width)
    return risky.isEmpty
      ? table : table + "Variables marked with ! change what programs run, or where they connect.\n"
  }

  private static func report(_ path: ByteString, _ variables: [ShownVariable]) -> JSONObject {
    let variables = variables.map { variable -> JSONObject in
      [
        "name": variable.name, "references": variable.references,
        "risky": RiskyVariable.isOne(variable.name),
      ]
    }
    return ["file": path, "trusted": true, "variables": variables]
  }
}

/// A variable as shown to people: without its value, which may be a secret, or contain one from the environment.
struct ShownVariable {
  let name: ByteString
  let references: [ByteString]
}

/// Variables that make other programs run, load other code, or send data elsewhere. The list can't be complete: each
/// program has variables of its own.
enum RiskyVariable {
  private static let names: Set<String> = [
    "PATH", "HOME", "SHELL", "ENV", "IFS", "PS4", "TMPDIR", "VISUAL", "BROWSER", "TERMINFO", "CC", "CXX",
    "CLASSPATH",
    "GCONV_PATH", "LOCPATH", "NLSPATH", "GLIBC_TUNABLES", "LESSOPEN", "LESSCLOSE", "MAKEFLAGS", "KUBECONFIG",
    "NETRC", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_HOME", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED", "ZDOTDIR", "SHELLOPTS", "VIMINIT", "EXINIT", "PERLLIB", "PHPRC",
    "PHP_INI_SCAN_DIR", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOROOT", "GOPATH", "GOTOOLCHAIN", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GRADLE_USER_HOME", "MAVEN_ARGS",
    "DOTNET_STARTUP_HOOKS", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "GTK_MODULES", "GTK_PATH",
    "QT_PLUGIN_PATH", "GIO_EXTRA_MODULES", "GNUPGHOME", "KRB5_CONFIG", "PGSERVICEFILE",
    "AWS_SHARED_CREDENTIALS_FILE", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX",
    "UV_PYTHON", "UV_CONFIG_FILE", "VAULT_ADDR", "BAO_ADDR", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "PYTHONBREAKPOINT", "PYTHONWARNINGS", "RUBYOPT", "RUBYLIB", "GOFLAGS", "GOENV", "GOPROXY", "GOAUTH",
    "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "AWS_CONFIG_FILE", "RUSTC", "CARGO_HOME",
  ]
  private static let beginnings = [
    "LD_", "BASH_", "GIT_", "PERL5", "SSH_", "XDG_", "LLAVERO_", "NPM_CONFIG_", "PIP_",
    "ANSIBLE_", "TF_CLI_", "LUA_", "CORECLR_", "COR_", "CARGO_TARGET_", "AWS_ENDPOINT_URL",
  ]
  private static let ends = [
    "_COMMAND", "ASKPASS", "PAGER", "EDITOR", "_PROXY", "_WRAPPER", "_CA_BUNDLE", "_OPTIONS", "_OPTS",
    "RUSTFLAGS",
    "_ENDPOINT_URL",
  ]

  static func isOne(_ name: ByteString) -> Bool {
    // Programs read some names in either case.
    let name = "\(name)".uppercased()
    return names.contains(name) || beginnings.contains { name.hasPrefix($0) }
      || ends.contains { name.hasSuffix($0) }
  }
}
