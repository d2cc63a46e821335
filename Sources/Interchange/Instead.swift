import Bytes
import CredentialProtocols
public import Keychain

/// What takes the place of a login in the file of a program that asks no keychain, so that `llavero run` gives the program
/// the login.
public struct Instead: Equatable, Sendable {
  /// The line to write where the login was, which anybody may read; `nil` if the file needs none.
  public let line: String?
  /// The command that runs the program with the login, with an operand for example.
  public let command: [String]

  fileprivate init(line: String?, command: [String]) {
    self.line = line
    self.command = command
  }

  /// - Parameter variable: the one that the program reads: `NAME=REFERENCE`.
  fileprivate init(line: String? = nil, variable: String, program: [String]) {
    self.init(line: line, command: ["llavero", "run", "--env", variable, "--"] + program)
  }
}

extension FileFormat {
  /// What takes the place of a login that was found in such a file; `nil` if its program asks llavero.
  public func instead(of item: Item) -> Instead? {
    guard let reference = item.reference(to: nil) else { return nil }
    switch name {
    case FileFormat.npm.name: return item.insteadForNpm
    case FileFormat.yarn.name:
      guard case .genericPassword = item.key else { return nil }
      let variable = item.variable("NPM_TOKEN")
      return Instead(
        line: "npmAuthToken: \"${\(variable)}\"", variable: "\(variable)=\(reference)",
        program: ["yarn", "install"])
    case FileFormat.composer.name:
      guard case .internetPassword(let key) = item.key, let host = key.hostAndPort, let account = key.account
      else { return nil }
      let login = #"{"username": "\#(account)", "password": "${\#(reference)}"}"#
      return Instead(
        variable: #"COMPOSER_AUTH={"http-basic": {"\#(host)": \#(login)}}"#,
        program: ["composer", "install"])
    case FileFormat.gradle.name:
      guard case .genericPassword(let key) = item.key else { return nil }
      return Instead(
        variable: "ORG_GRADLE_PROJECT_\(key.nameForTool)=\(reference)",
        program: ["gradle", "--no-daemon", "build"])
    case FileFormat.pgpass.name:
      return Instead(variable: "PGPASSWORD=\(reference)", program: ["psql"])
    case FileFormat.mysql.name:
      return Instead(
        line: "password=\"${\(reference)}\"",
        command: [
          "llavero", "inject", "my.cnf", "--", "sh", "-c", "mysql --defaults-extra-file=\"$INJECTED\"",
        ])
    case FileFormat.vault.name:
      return Instead(variable: "VAULT_TOKEN=\(reference)", program: ["vault", "token", "lookup"])
    default: return nil
    }
  }
}

extension Item {
  /// The reference by which `llavero run` finds it; `nil` if it has none, as what belongs to a tool.
  ///
  /// - Parameter field: the part that is meant; `nil` for the secret.
  fileprivate func reference(to field: String?) -> String? {
    let suffix = field.map { "?field=\($0)" } ?? ""
    switch key {
    case .internetPassword(let key):
      guard key.securityDomain == nil, let url = key.url(withAccount: true) else { return nil }
      return "llavero+\(url)\(suffix)"
    case .genericPassword(let key):
      let account = key.account.map { "/" + PercentEncoding.text($0, keeping: "+") } ?? ""
      return "llavero://\(PercentEncoding.text(key.service, keeping: ":+"))\(account)\(suffix)"
    case .cryptographic, .secretService: return nil
    }
  }

  /// The name of a variable with its secret: each registry but npm's own has a variable of its own, so that none gets the
  /// token of another.
  fileprivate func variable(_ name: String) -> String {
    let place: ByteString
    switch key {
    case .genericPassword(let key): place = key.nameForTool
    case .internetPassword(let key): place = ByteString((key.hostAndPort ?? "") + key.pathOfURL)
    case .cryptographic, .secretService: return name
    }
    if place.isEmpty || place == "registry.npmjs.org" { return name }
    let suffix = place.bytes.map { byte -> UInt8 in
      switch byte {
      case 0x61...0x7a: byte & 0xdf
      case 0x30...0x39, 0x41...0x5a: byte
      default: UInt8(ascii: "_")
      }
    }
    return name + "_" + String(decoding: suffix, as: UTF8.self)
  }

  /// npm takes the value of a variable. A password it wants in Base64, with the user name before it.
  fileprivate var insteadForNpm: Instead? {
    let program = ["npm", "install"]
    switch key {
    case .genericPassword(let key):
      let registry = key.nameForTool
      guard let reference = reference(to: nil) else { return nil }
      return Instead(
        line:
          "//\(registry.isEmpty ? "registry.npmjs.org" : registry)/:_authToken=${\(variable("NPM_TOKEN"))}",
        variable: "\(variable("NPM_TOKEN"))=\(reference)", program: program)
    case .internetPassword(let key):
      guard let host = key.hostAndPort, let reference = reference(to: "basic") else { return nil }
      return Instead(
        line: "//\(host)\(key.pathOfURL)/:_auth=${\(variable("NPM_AUTH"))}",
        variable: "\(variable("NPM_AUTH"))=\(reference)",
        program: program)
    case .cryptographic, .secretService: return nil
    }
  }
}

extension GenericPassword {
  /// What a tool calls it: its service without `TOOL:`.
  fileprivate var nameForTool: ByteString {
    ByteString(Array(service.bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst()))
  }
}
