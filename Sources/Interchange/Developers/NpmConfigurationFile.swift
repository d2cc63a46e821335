import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The configuration of npm, pnpm and version 1 of yarn (docs.npmjs.com, "npmrc", "Auth related configuration").
  ///
  /// The token of a registry is stored under the service `npm:REGISTRY`, that of the public one under `npm`; a user
  /// name with a password as the login for the registry's URL. A variable is no secret.
  public static let npm = FileFormat(
    "npm", "the tokens in the .npmrc of npm, pnpm and yarn",
    usualPaths: ["$NPM_CONFIG_USERCONFIG", "$npm_config_userconfig", "~/.npmrc"], holdsLoginsAlone: false,
    looksLike: { shape in
      let names: [StaticString] = [":_authToken", ":_auth", ":_password", "_authToken", "_auth"]
      return shape.hasLine { line in
        names.contains { name in
          let start = name.utf8Start[0] == UInt8(ascii: ":") ? line.indices : 0..<min(1, line.count)
          return start.contains { line.begins(with: name, at: $0) }
        }
      }
    }
  ) { text throws(FormatFault) in
    let file = SettingLines(text)
    var found = FoundLogins()
    for setting in file.settings {
      let (registry, name) = setting.name.npmSetting(in: file, text)
      let value = text.unquoted(setting.value)
      let origin = Origin.line(setting.line)
      guard ["_authToken", "_auth", "_password"].contains(name) else {
        let isProxy = ["proxy", "https-proxy", "http-proxy"].contains(name)
        found.takeURLs(in: setting.value, of: text, line: setting.line, ofSetting: isProxy ? name : nil)
        continue
      }
      if value.isEmpty {
        found.passOver(origin, .noSecret)
      } else if text.hasVariable(in: value) || text[value].first == UInt8(ascii: "$") {
        // npm reads one without braces literally, which nobody intends.
        found.passOver(origin, .reference)
      } else if !text[value].allSatisfy({ 0x21...0x7e ~= $0 && !";#\"'\\".utf8.contains($0) }) {
        found.passOver(origin, .malformed)
      } else {
        var entry = SourceEntry(at: origin, removals: [Removal(setting.range)])
        if name == "_authToken" {
          found.takeNpmToken(Secret(copying: text.slice(value)), of: registry, entry)
        } else {
          let user = file.settings.last { $0.name.npmSetting(in: file, text) == (registry, "username") }
          let account =
            name == "_auth" ? nil : user.map { ByteString(text.slice(text.unquoted($0.value))) } ?? ""
          found.takeLogin(text.slice(value), account, at: registry, of: &entry)
        }
      }
    }
    return found
  }
}

extension FoundLogins {
  mutating func takeNpmToken(
    _ token: consuming Secret, of registry: ByteString, _ entry: borrowing SourceEntry
  ) {
    if registry.hasPasswordOfAddress { return passOver(entry.origin, .inURL) }
    take(
      Item(service: registry == .npmPublicRegistry ? "npm" : "npm:\(registry)"), Credential(token), of: entry)
  }

  /// Adds the login for a registry.
  ///
  /// - Parameters:
  ///   - encoded: in Base64, the password, or without an account the user name, a colon and the password.
  ///   - registry: its host, with an optional port and path.
  fileprivate mutating func takeLogin(
    _ encoded: UnsafeRawBufferPointer, _ account: ByteString?, at registry: ByteString,
    of entry: inout SourceEntry
  ) {
    if registry.hasPasswordOfAddress { return passOver(entry.origin, .inURL) }
    guard let place = try? Place.parse(registry, assuming: "https").place else {
      return passOver(entry.origin, .noPlace)
    }
    guard let account else { return takeBasic(encoded, at: place, of: &entry) }
    guard case .some(let password) = Secret(base64: encoded),
      password.withUnsafeBytes({ isValidUTF8($0) }), !password.isEmpty
    else { return passOver(entry.origin, .malformed) }
    take(Item(place.key(account: account.nonEmpty, for: nil)), Credential(password), of: entry)
  }
}

extension ByteString {
  /// The registry and setting in a name such as `//npm.example/path/:_authToken`. A name without a registry, as before
  /// version 9, applies to the current one.
  fileprivate func npmSetting(
    in file: SettingLines, _ text: UnsafeRawBufferPointer
  ) -> (registry: ByteString, name: ByteString) {
    guard bytes.starts(with: "//".utf8), let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else {
      guard bytes.first == UInt8(ascii: "_") || self == "username" else { return ("", self) }
      let url = file.settings.last { $0.name == "registry" }.map {
        ByteString(text.slice(text.unquoted($0.value)))
      }
      let place = url.flatMap { try? Place.parse($0).place }
      return (place.map { $0.npmRegistry } ?? Self.npmPublicRegistry, self)
    }
    let name = ByteString(Array(bytes[(colon + 1)...]))
    return (ByteString(Array(bytes[2..<colon])).withoutSlashesAround, name)
  }

  static let npmPublicRegistry: ByteString = "registry.npmjs.org"
}

extension Place {
  /// The registry as in the names of npm's settings.
  var npmRegistry: ByteString { ByteString("\(hostAndPort)" + (path.map { "/\($0)" } ?? "")) }
}
