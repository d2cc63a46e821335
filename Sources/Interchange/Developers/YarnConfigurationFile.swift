import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The configuration of yarn from version 2 on (yarnpkg.com, "Settings"): tokens and logins of the current registry,
  /// of scopes, and of registries by their address. They are stored like npm's.
  public static let yarn = FileFormat(
    "yarn", "the tokens in the .yarnrc.yml of yarn", usualPaths: ["~/.yarnrc.yml"], holdsLoginsAlone: false,
    looksLike: { shape in
      shape.hasLine { $0.starts(with: "npmAuthToken:") || $0.starts(with: "npmAuthIdent:") }
    }
  ) { text throws(FormatFault) in
    let file = try YAMLDocument(text, of: "yarn")
    var found = FoundLogins()
    for entry in file.entries where entry.path.last == "npmAuthToken" || entry.path.last == "npmAuthIdent" {
      found.takeYarn(entry, in: file, text)
    }
    return found
  }
}

extension FoundLogins {
  fileprivate mutating func takeYarn(
    _ setting: YAMLDocument.Entry, in file: YAMLDocument, _ text: UnsafeRawBufferPointer
  ) {
    let origin = Origin.line(setting.line)
    guard case .some(let secret) = YAMLDocument.scalar(setting.value, in: text),
      let registry = file.yarnRegistry(of: setting.path, text)
    else { return passOver(origin, .malformed) }
    if secret.isEmpty { return passOver(origin, .noSecret) }
    if text.hasVariable(in: setting.value) { return passOver(origin, .reference) }
    var entry = SourceEntry(at: origin, removals: [setting.removal(in: text)])
    if setting.path.last == "npmAuthToken" { return takeNpmToken(secret, of: registry, entry) }
    guard let place = try? Place.parse(registry, assuming: "https").place else {
      return passOver(origin, .noPlace)
    }
    // yarn encodes a value with a colon, and assumes that any other one is encoded.
    let encoded = secret.withUnsafeBytes {
      $0.contains(UInt8(ascii: ":")) ? Secret(base64Of: $0) : Secret(copying: $0)
    }
    encoded.withUnsafeBytes { takeBasic($0, at: place, of: &entry) }
  }
}

extension YAMLDocument {
  /// A setting's registry, without its scheme; `nil` if unknown.
  fileprivate func yarnRegistry(of setting: Path, _ text: UnsafeRawBufferPointer) -> ByteString? {
    if setting.count == 3, setting[0] == "npmRegistries" {
      let slashes = setting[1].bytes.prefix { $0 != UInt8(ascii: "/") }
      return ByteString(Array(setting[1].bytes.dropFirst(slashes.count))).withoutSlashesAround
    }
    guard setting.count == 1 || setting.count == 3 && setting[0] == "npmScopes" else { return nil }
    let own = entry(setting.dropLast() + ["npmRegistryServer"]) ?? entry(["npmRegistryServer"])
    guard let url = own.flatMap({ Self.text($0.value, in: text) }) else { return .npmPublicRegistry }
    guard let place = try? Place.parse(url).place else { return nil }
    return place.npmRegistry
  }
}
