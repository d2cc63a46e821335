import Bytes
import CredentialProtocols
public import Keychain

/// A replacement for a login in the file of a program that asks no keychain, so that `llavero run` gives it the login.
public struct Instead: Equatable, Sendable {
  /// The line to write in its place, without secrets; `nil` if the file needs none.
  public let line: String?
  /// What it belongs to, if it is only part of a line: a server's identifier, for example.
  public let owner: String?
  /// The command that runs the program with the login, for example with an operand.
  public let command: [String]

  init(line: String?, of owner: String? = nil, command: [String]) {
    self.line = line
    self.owner = owner
    self.command = command
  }

  /// - Parameter variable: the program's variable: `NAME=REFERENCE`.
  init(line: String? = nil, of owner: String? = nil, variable: String, program: [String]) {
    self.init(line: line, of: owner, command: ["llavero", "run", "--env", variable, "--"] + program)
  }
}

extension FileFormat {
  /// The replacement for a login found in such a file; `nil` if its program asks llavero.
  public func instead(of item: Item) -> Instead? {
    guard let reference = item.reference(to: nil) else { return nil }
    switch name {
    case FileFormat.npm.name:
      return item.insteadOfProxy("NPM_CONFIG", program: ["npm", "install"]) ?? item.insteadForNpm
    case FileFormat.pip.name: return item.insteadOfProxy("PIP", program: ["pip", "install"])
    case FileFormat.yarn.name:
      guard case .genericPassword = item.key else { return item.insteadForYarn }
      let variable = item.variable("NPM_TOKEN")
      return Instead(
        line: "npmAuthToken: \"${\(variable)}\"", variable: "\(variable)=\(reference)",
        program: ["yarn", "install"])
    case FileFormat.composer.name: return item.insteadForComposer
    case FileFormat.gradle.name:
      guard case .genericPassword(let key) = item.key else { return nil }
      // sh drops variables with other names, and Gradle's program is an sh script. bash passes them on.
      let isVariable = key.nameForTool.isIdentifier
      return Instead(
        variable: "ORG_GRADLE_PROJECT_\(key.nameForTool)=\(reference)",
        program: isVariable
          ? ["gradle", "--no-daemon", "build"]
          : ["bash", "-c", "exec bash \"$(command -v gradle)\" --no-daemon build"])
    case FileFormat.maven.name: return item.insteadForMaven
    case FileFormat.nuget.name: return item.insteadForNuGet
    case FileFormat.rclone.name: return item.insteadForRclone
    case FileFormat.pgpass.name:
      return Instead(variable: "PGPASSWORD=\(reference)", program: ["psql"])
    case FileFormat.mysql.name:
      return Instead(
        line: "password=\"${\(reference)}\"",
        command: ["llavero", "inject", "my.cnf", "--", "sh", "-c", item.commandOfMySQL])
    case FileFormat.vault.name:
      return Instead(variable: "VAULT_TOKEN=\(reference)", program: ["vault", "token", "lookup"])
    default: return nil
    }
  }
}

extension Item {
  /// The reference for `llavero run`; `nil` if there is none, as for a tool's own item.
  ///
  /// - Parameter field: the part of the item; `nil` for the secret.
  func reference(to field: String?) -> String? {
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

  /// The name of a variable for its secret. Each registry except npm's own has one, so that none gets another's token.
  fileprivate func variable(_ name: String) -> String {
    let place: ByteString
    switch key {
    case .genericPassword(let key): place = key.nameForTool
    case .internetPassword(let key): place = ByteString((key.hostAndPort ?? "") + key.pathOfURL)
    case .cryptographic, .secretService: return name
    }
    return place.isEmpty || place == "registry.npmjs.org" ? name : place.variable(after: name)
  }

  /// npm expands variables. It takes a password in Base64, with the user name before it.
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

extension ByteString {
  /// The name of a variable, with this beginning.
  func variable(after beginning: String) -> String {
    let suffix = bytes.map { byte -> UInt8 in
      switch byte {
      case 0x61...0x7a: byte & 0xdf
      case 0x30...0x39, 0x41...0x5a: byte
      default: UInt8(ascii: "_")
      }
    }
    return beginning + "_" + String(decoding: suffix, as: UTF8.self)
  }

  /// Whether it can follow other letters in a shell variable's name.
  var isIdentifier: Bool {
    !isEmpty
      && bytes.allSatisfy { byte in
        0x30...0x39 ~= byte || 0x41...0x5a ~= byte & 0xdf || byte == UInt8(ascii: "_")
      }
  }
}

extension Item {
  /// For a program that takes a proxy from a variable, with the login in its URL.
  ///
  /// - Parameter prefix: the beginning of the variable. The setting's name follows, which is the item's description.
  fileprivate func insteadOfProxy(_ prefix: String, program: [String]) -> Instead? {
    guard let setting = itemDescription, setting.ends(with: "proxy"),
      case .internetPassword(let key) = key, let host = key.hostAndPort,
      let reference = reference(to: "userinfo")
    else { return nil }
    return Instead(
      variable:
        "\(setting.variable(after: prefix))=\(key.protocol)://${\(reference)}@\(host)\(key.pathOfURL)",
      program: program)
  }

  /// yarn takes a login in the form of npm's `_auth`.
  fileprivate var insteadForYarn: Instead? {
    guard case .internetPassword = key, let reference = reference(to: "basic") else { return nil }
    let variable = variable("NPM_AUTH")
    return Instead(
      line: "npmAuthIdent: \"${\(variable)}\"", variable: "\(variable)=\(reference)",
      program: ["yarn", "install"])
  }

  /// Composer takes its whole `auth.json` from a variable. The description is the kind of login.
  fileprivate var insteadForComposer: Instead? {
    guard let reference = reference(to: nil),
      let kind = ComposerKind.all.first(where: { $0.name == itemDescription })
    else { return nil }
    let host: ByteString
    switch key {
    case .internetPassword(let key): host = ByteString((key.hostAndPort ?? "") + key.pathOfURL)
    case .genericPassword(let key): host = key.nameForTool
    case .cryptographic, .secretService: return nil
    }
    // Neither needs escaping in JSON.
    if (host.bytes + (key.account?.bytes ?? [])).contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }) {
      return nil
    }
    let secret = "\"${\(reference)}\""
    let login = key.account.map { #"{"\#(kind.account)": "\#($0)", "\#(kind.secret)": \#(secret)}"# }
    return Instead(
      variable: #"COMPOSER_AUTH={"\#(kind.name)": {"\#(host)": \#(login ?? secret)}}"#,
      program: ["composer", "install"])
  }

  /// The command that reads an option file, by the password's group, which is the description.
  fileprivate var commandOfMySQL: String {
    let file = "--defaults-extra-file=\"$INJECTED\""
    guard let group = itemDescription?.lowercased,
      group.isIdentifier || group.bytes.contains(UInt8(ascii: "-"))
    else { return "mysql \(file)" }
    let programs: [ByteString] = [
      "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mysqlslap", "mysqlbinlog",
      "mariadb-dump", "mariadb-admin", "mariadb-import", "mariadb-show", "mariadb-check", "mariadb-backup",
    ]
    if programs.contains(group) { return "\(group) \(file)" }
    let common: [ByteString] = ["client-server", "client-mariadb"]
    if group.bytes.starts(with: "client".utf8), !common.contains(group) {
      let suffix = ByteString(Array(group.bytes.dropFirst("client".utf8.count)))
      return "mysql \(file) --defaults-group-suffix=\(suffix)"
    }
    return "mysql \(file)"
  }
}

extension GenericPassword {
  /// The tool's own name for it: its service without `TOOL:`.
  var nameForTool: ByteString {
    ByteString(Array(service.bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst()))
  }
}
