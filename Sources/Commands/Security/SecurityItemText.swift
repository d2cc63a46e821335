import Bytes
import Keychain

enum SecurityItemText {
  private enum Format: String {
    case blob, uint32, sint32, timedate
  }

  /// Writes the keychain, class and attributes of a password. Attributes that llavero doesn't have are `<NULL>`.
  static func append(_ item: Item, in keychain: ByteString, to output: inout Secret) {
    let isInternet = item.key.itemClass == .internetPassword
    output.append("keychain: ")
    append(keychain, to: &output)
    output.append("\nversion: 512\nclass: ")
    append(isInternet ? "inet" : "genp", to: &output)
    output.append("\nattributes:\n")
    // In the order of the schema of Apple's keychains.
    line(7, item.securityLabel, to: &output)
    line(8, nil, to: &output)
    line("acct", .blob, item.key.account, to: &output)
    if case .internetPassword(let key) = item.key {
      let type = FourCharacterCode(ofAuthenticationType: key.authenticationType)
      line("atyp", .blob, ByteString(type.bytes), to: &output)
    }
    line("cdat", .timedate, item.creationDate.map(date), to: &output)
    line("crtr", .uint32, item.creator.map(code), to: &output)
    line("cusi", .sint32, nil, to: &output)
    line("desc", .blob, item.itemDescription, to: &output)
    if !isInternet { line("gena", .blob, item.generic, to: &output) }
    line("icmt", .blob, item.comment, to: &output)
    line("invi", .sint32, flag(item.isInvisible), to: &output)
    line("mdat", .timedate, item.modificationDate.map(date), to: &output)
    line("nega", .sint32, flag(item.isNegative), to: &output)
    if case .internetPassword(let key) = item.key {
      line("path", .blob, key.path, to: &output)
      let port = key.port ?? 0
      line(
        "port", .uint32, ByteString([0, 0, UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]), to: &output)
    }
    line("prot", .blob, nil, to: &output)
    switch item.key {
    case .internetPassword(let key):
      line(
        "ptcl", .uint32, ByteString(FourCharacterCode(ofProtocol: key.protocol).bytes), to: &output)
      line("scrp", .sint32, nil, to: &output)
      line("sdmn", .blob, key.securityDomain, to: &output)
      line("srvr", .blob, key.server, to: &output)
    case .genericPassword(let key):
      line("scrp", .sint32, nil, to: &output)
      line("svce", .blob, key.service, to: &output)
    case .cryptographic, .secretService: break
    }
    line("type", .uint32, item.type.map(code), to: &output)
  }

  private static func append(_ value: ByteString, to output: inout Secret) {
    value.bytes.withUnsafeBytes { SecurityValue.append($0, to: &output) }
  }

  private static func line(
    _ name: ByteString, _ format: Format, _ value: ByteString?, to output: inout Secret
  ) {
    output.append("    ")
    append(name, to: &output)
    finish(format, value, to: &output)
  }

  /// Writes an attribute with a number for a name.
  private static func line(_ number: UInt8, _ value: ByteString?, to output: inout Secret) {
    output.append("    ")
    append(ByteString([0, 0, 0, number]), to: &output)
    finish(.blob, value, to: &output)
  }

  private static func finish(_ format: Format, _ value: ByteString?, to output: inout Secret) {
    output.append(contentsOf: ByteString("<\(format.rawValue)>="))
    if let value { append(value, to: &output) } else { output.append("<NULL>") }
    output.append("\n")
  }

  private static func flag(_ isSet: Bool) -> ByteString? { isSet ? ByteString([0, 0, 0, 1]) : nil }

  private static func code(_ name: ByteString) -> ByteString {
    ByteString(FourCharacterCode(abbreviating: name).bytes)
  }

  /// `20240131083000Z` and a NUL (X.208, GeneralizedTime).
  private static func date(_ date: Timestamp) -> ByteString {
    ByteString(date.description.utf8.prefix(19).filter { 0x30...0x39 ~= $0 } + [UInt8(ascii: "Z"), 0])
  }
}

extension Item {
  var securityLabel: ByteString? {
    label ?? (key.itemClass == .internetPassword ? self[.server] : self[.service])
  }
}
