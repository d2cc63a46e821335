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
    holdsLoginsAlone: true,
    looksLike: { shape in
      let isOfCargo = shape.sections.contains {
        $0 == "registry" || $0.bytes.starts(with: "registries.".utf8)
      }
      return isOfCargo && shape.hasLine(beginningWith: "token")
    }
  ) { text throws(FormatFault) in try tokens(in: text, nil) }
  .beside(["config.toml", "config"]) { (text, companion) throws(FormatFault) in
    try tokens(in: text, companion)
  }

  private static func tokens(
    in text: UnsafeRawBufferPointer, _ companion: UnsafeRawBufferPointer?
  ) throws(FormatFault) -> FoundLogins {
    let file = try TOMLDocument(text, that: "cargo writes")
    // Cargo puts the file with the tokens above its configuration.
    let indexes = (companion.map(indexes(in:)) ?? [:]).merging(indexes(in: text)) { $1 }
    var found = FoundLogins()
    if file.hasComments || file.entries.contains(where: { $0.elements != nil }) { found.noteOthers() }
    for line in file.malformedLines { found.passOver(.line(line), .malformed) }
    for value in file.entries where !value.isTable && value.elements == nil {
      take(value, of: text, indexes, &found)
    }
    return found
  }

  private static func take(
    _ value: TOMLDocument.Entry, of text: UnsafeRawBufferPointer, _ indexes: [ByteString: ByteString],
    _ found: inout FoundLogins
  ) {
    let origin = Origin.line(value.line)
    let name: ByteString
    switch (value.path.count, value.path[0]) {
    // At the top level it is the form of the oldest versions.
    case (1, "token"), (2, "registry"): name = cratesIO
    case (3, "registries"): name = value.path[1]
    default: return value.path.last == "token" ? found.passOver(origin, .noPlace) : found.noteOthers()
    }
    // A key that signs tokens, for which the protocol of helpers has no place.
    if value.path.last == "secret-key" { found.passOver(origin, .noLogin) }
    guard value.path.last == "token" else { return found.noteOthers() }
    guard case .some(let token) = TOMLDocument.string(value.value, in: text) else {
      return found.passOver(origin, .malformed)
    }
    if token.isEmpty { return found.passOver(origin, .noSecret) }
    guard let index = name == cratesIO ? CargoProtocol.cratesIOIndex : indexes[name],
      let item = CargoProtocol.item(index: index, registry: name == cratesIO ? nil : name)
    else { return found.passOver(origin, .noPlace) }
    found.take(item, token, at: origin, removing: value.removal(in: text))
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
