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
    case FileFormat.maven.name: return item.insteadForMaven
    case FileFormat.nuget.name: return item.insteadForNuGet
    case FileFormat.rclone.name: return item.insteadForRclone
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
    return place.isEmpty || place == "registry.npmjs.org" ? name : place.variable(after: name)
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

extension Item {
  /// Maven puts variables into its settings. The label is the identifier of a server or a proxy, and a property has none.
  fileprivate var insteadForMaven: Instead? {
    guard let reference = reference(to: nil) else { return nil }
    var parts = label.map { [$0] } ?? []
    if case .genericPassword(let key) = key {
      parts = key.nameForTool.bytes.split(separator: UInt8(ascii: ":"), maxSplits: label == nil ? 0 : 1)
        .map { ByteString(Array($0)) }
    }
    guard let name = parts.first else { return nil }
    let element: ByteString
    switch parts.last {
    case _ where label == nil: element = name
    case _ where parts.count == 1: element = "password"
    case "passphrase": element = "passphrase"
    default: element = "value"
    }
    let prefix =
      element == "passphrase" ? "MAVEN_PASSPHRASE" : element == "value" ? "MAVEN_TOKEN" : "MAVEN_PASSWORD"
    let variable = name.variable(after: prefix)
    return Instead(
      line: "<\(element)>${env.\(variable)}</\(element)>", variable: "\(variable)=\(reference)",
      program: ["mvn", "-B", "verify"])
  }

  /// NuGet takes a login from a variable with the name of the source, or puts a variable into its configuration.
  fileprivate var insteadForNuGet: Instead? {
    guard let reference = reference(to: nil), let source = label else { return nil }
    let account = key.account ?? ""
    let kinds = fields.first { $0.name == "ValidAuthenticationTypes" }?.value
    let program = ["dotnet", "restore"]
    if source.isIdentifier {
      let end = kinds.map { ";ValidAuthenticationTypes=\($0)" } ?? ""
      return Instead(
        variable:
          "NuGetPackageSourceCredentials_\(source)=Username=\(account);Password=${\(reference)}\(end)",
        program: program)
    }
    let variable = source.variable(after: "NUGET_PASSWORD")
    let parts =
      [("Username", "\(account)"), ("ClearTextPassword", "%\(variable)%")]
      + (kinds.map { [("ValidAuthenticationTypes", "\($0)")] } ?? [])
    let element = source.encodedXMLName
    return Instead(
      line: "<\(element)>"
        + parts.map { #"<add key="\#($0)" value="\#($1.escapedForXML)" />"# }.joined() + "</\(element)>",
      variable: "\(variable)=\(reference)", program: program)
  }

  /// rclone takes each option from a variable: that of a remote, or where a shell can't set that one, that of all remotes of
  /// its kind. It is obscured there if it is so in the configuration.
  fileprivate var insteadForRclone: Instead? {
    guard let reference = reference(to: nil) else { return nil }
    var remote = label ?? ""
    let kind = itemDescription ?? "webdav"
    var option: ByteString = "pass"
    if case .genericPassword(let key) = key {
      let name = key.nameForTool.bytes
      guard let colon = name.lastIndex(of: UInt8(ascii: ":")) else { return nil }
      (remote, option) = (ByteString(Array(name[..<colon])), ByteString(Array(name[(colon + 1)...])))
    }
    let owner = remote.isIdentifier ? remote.variable(after: "RCLONE_CONFIG") : kind.variable(after: "RCLONE")
    let variable = option.variable(after: owner)
    guard RcloneRemote.isObscured(option, of: kind) == true else {
      return Instead(variable: "\(variable)=\(reference)", program: ["rclone", "lsd", "\(remote):"])
    }
    if remote.bytes.contains(UInt8(ascii: "'")) { return nil }
    let operand = remote.isIdentifier ? "\(remote):" : "'\(remote):'"
    let script = "\(variable)=$(printf %s \"$RCLONE_PASS\" | rclone obscure -) exec rclone lsd \(operand)"
    return Instead(variable: "RCLONE_PASS=\(reference)", program: ["sh", "-c", script])
  }
}

extension ByteString {
  /// The name of a variable for what is called so.
  fileprivate func variable(after beginning: String) -> String {
    let suffix = bytes.map { byte -> UInt8 in
      switch byte {
      case 0x61...0x7a: byte & 0xdf
      case 0x30...0x39, 0x41...0x5a: byte
      default: UInt8(ascii: "_")
      }
    }
    return beginning + "_" + String(decoding: suffix, as: UTF8.self)
  }

  /// Whether a shell takes it for a variable's name behind other letters.
  fileprivate var isIdentifier: Bool {
    !isEmpty
      && bytes.allSatisfy { byte in
        0x30...0x39 ~= byte || 0x41...0x5a ~= byte & 0xdf || byte == UInt8(ascii: "_")
      }
  }

  /// The name as that of an element, as .NET's `XmlConvert.EncodeLocalName` has it.
  fileprivate var encodedXMLName: String {
    var name = ""
    let units = Array("\(self)".utf16)
    for (index, unit) in units.enumerated() {
      let isEscape = unit == 0x5f && index + 1 < units.count && units[index + 1] | 0x20 == 0x78
      switch UInt8(exactly: unit) {
      case .some(let byte) where 0x41...0x5a ~= byte & 0xdf || byte == 0x5f && !isEscape,
        .some(let byte) where index > 0 && (0x30...0x39 ~= byte || byte == 0x2d || byte == 0x2e):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(unit, radix: 16, uppercase: true)
        name += "_x" + String(repeating: "0", count: 4 - digits.count) + digits + "_"
      }
    }
    return name
  }
}

extension String {
  /// The text in the value of an attribute in XML.
  fileprivate var escapedForXML: String {
    var text = ""
    for character in unicodeScalars {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case "\"": text += "&quot;"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}

extension GenericPassword {
  /// What a tool calls it: its service without `TOOL:`.
  fileprivate var nameForTool: ByteString {
    ByteString(Array(service.bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst()))
  }
}
