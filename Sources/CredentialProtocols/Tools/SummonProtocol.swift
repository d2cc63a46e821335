import Bytes
public import Keychain

/// Summon's protocol for providers (cyberark.github.io/summon). With an ID as the only argument, its value goes to
/// standard output. Without arguments, each line of standard input is an ID, and each line of standard output a value
/// in base64.
public enum SummonProtocol: ToolProtocol {
  /// The maximum length of an ID, in bytes.
  private static let longest = 65_535

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero-summon [OPTION...] [ID]

    Summon calls this by itself, with the IDs of its secrets.yml, after:

      export SUMMON_PROVIDER=/usr/local/bin/llavero-summon

    An ID is SERVICE or SERVICE/ACCOUNT, or a reference as 'llavero run' takes it:
    llavero+https://USER@HOST/PATH. See llavero-vault-client(1).

    """

  /// Prints the requested values.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    if call.operands.count > 1 {
      throw .misused("summon gives one ID", hint: "see 'llavero-summon --help'")
    }
    if let id = call.operands.first {
      try call.write(try value(of: id, call))
      return 0
    }
    try call.begin()
    var lines = LineInput(call, limit: longest)
    // Summon waits for each value and keeps its end open. After an error reading stops, so that summon notices it.
    while let line = try lines.next() {
      var encoded = try value(of: ByteString(line), call).withUnsafeBytes { Secret(base64Of: $0) }
      encoded.append("\n")
      try call.write(encoded)
    }
    return 0
  }

  private static func value(of id: ByteString, _ call: any ToolCall) throws(KeychainError) -> Secret {
    let (query, field) = try meaning(of: id)
    if field == .code {
      throw .failure(
        "no tool gets a one-time code",
        hint: "'llavero run' does, where a reference asks for it, and 'llavero code'",
        status: .usage)
    }
    // The same value as in 'llavero run'.
    let answer = try Resolver(call, takesAccounts: true).answer(to: query) {
      $1.authenticationScheme == nil
    }
    guard let answer, let value = field.value(of: answer) else {
      throw .failure(
        "the keychain has nothing for \(id)", hint: .seeList, status: .nothingMatched)
    }
    return value
  }

  private static func meaning(
    of id: ByteString
  ) throws(KeychainError) -> (query: ItemQuery, field: ReferencedField) {
    let text = Secret(copying: id)
    if text.withUnsafeBytes({ SecretReference.isMeant(by: $0) }) {
      let reference = try text.withUnsafeBytes { (text) throws(KeychainError) in
        try SecretReference(parsing: text)
      }
      return (reference.query, reference.field)
    }
    let slash = id.bytes.firstIndex(of: 0x2f)
    let service = ByteString(Array(id.bytes[..<(slash ?? id.bytes.endIndex)]))
    let account = slash.map { ByteString(Array(id.bytes[($0 + 1)...])) }
    let query: ItemQuery = .genericPassword(
      try GenericPasswordQuery(service: service, account: account.nonEmpty))
    return (query, .secret)
  }
}
