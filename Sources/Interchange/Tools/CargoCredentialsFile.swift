import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The file of cargo's provider `cargo:token` (The Cargo Book, "Configuration", "Credentials"). It names the
  /// registries; their index URLs, by which the keychain knows them, are in the configuration beside it.
  public static let cargo = FileFormat(
    "cargo", "the tokens of cargo",
    usualPaths: [
      "$CARGO_HOME/credentials.toml", "$CARGO_HOME/credentials", "~/.cargo/credentials.toml",
      "~/.cargo/credentials",
    ],
    holdsLoginsAlone: true, companions: ["config.toml", "config"],
    looksLike: { shape in
      let isOfCargo = shape.sections.contains {
        $0 == "registry" || $0.bytes.starts(with: "registries.".utf8)
      }
      return isOfCargo && shape.hasLine(beginningWith: "token") ? .certain : .none
    }
  ) { (text, companion) throws(FormatFault) in
    let file = TOMLDocument(text)
    if file.entries.isEmpty, let line = file.malformedLines.first {
      throw FormatFault("it is not TOML that cargo writes", line: line)
    }
    // Cargo puts the file with the tokens above its configuration.
    let indexes = (companion.map(indexes(in:)) ?? [:]).merging(indexes(in: text)) { $1 }
    var found = FoundLogins()
    if file.hasComments || file.entries.contains(where: { $0.elements != nil }) { found.noteOthers() }
    for line in file.malformedLines { found.passOver(.line(line), .malformed) }
    for value in file.entries where !value.isTable && value.elements == nil {
      let origin = Origin.line(value.line)
      let name: ByteString
      switch (value.path.count, value.path[0]) {
      // At the top level it is the form of the oldest versions.
      case (1, "token"), (2, "registry"): name = cratesIO
      case (3, "registries"): name = value.path[1]
      default:
        if value.path.last == "token" { found.passOver(origin, .noPlace) } else { found.noteOthers() }
        continue
      }
      // A key that signs tokens, for which the protocol of helpers has no place.
      if value.path.last == "secret-key" { found.passOver(origin, .noLogin) }
      guard value.path.last == "token" else {
        found.noteOthers()
        continue
      }
      guard case .some(let token) = TOMLDocument.string(value.value, in: text) else {
        found.passOver(origin, .malformed)
        continue
      }
      if token.isEmpty {
        found.passOver(origin, .noSecret)
        continue
      }
      guard let index = name == cratesIO ? CargoProtocol.cratesIOIndex : indexes[name],
        let item = CargoProtocol.item(index: index, registry: name == cratesIO ? nil : name)
      else {
        found.passOver(origin, .noPlace)
        continue
      }
      found.take(
        item, Credential(token), of: SourceEntry(at: origin, removals: [value.removal(in: text)]))
    }
    return found
  }

  private static let cratesIO: ByteString = "crates-io"

  /// The index URLs of the registries by name.
  private static func indexes(in configuration: UnsafeRawBufferPointer) -> [ByteString: ByteString] {
    var indexes: [ByteString: ByteString] = [:]
    for value in TOMLDocument(configuration).entries
    where value.path.count == 3 && value.path[0] == "registries" && value.path[2] == "index" {
      indexes[value.path[1]] = TOMLDocument.text(value.value, in: configuration)
    }
    return indexes
  }
}
