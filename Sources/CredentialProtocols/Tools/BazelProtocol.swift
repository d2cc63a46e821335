import Bytes
public import Keychain

/// The protocol of bazel's credential helpers (EngFlow/credential-helper-spec).
public enum BazelProtocol: ToolProtocol {
  /// Bazel passes the URL in an object on standard input.
  public static let rehearsal: Rehearsal? = { (url, _) in
    RehearsedArguments(["get"]) { $0.member("uri", url) }
  }

  /// The text that `--help` prints.
  public static let usage = """
    usage: bazel-credential-llavero [OPTION...] get

    Bazel calls this by itself after, in .bazelrc:

      common --credential_helper=*.a.example=/usr/local/bin/bazel-credential-llavero

    get reads {"uri":"https://..."} and prints
    {"headers":{"Authorization":["..."]}}, or {"headers":{}} where the keychain has
    no login for that place; see llavero-goauth(1).

    """

  /// How many seconds before its end a login is asked for again.
  private static let margin: Int64 = 60

  /// Answers one call.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    let input = try call.input()
    guard call.operands == ["get"] else {
      throw .misused("bazel's helper takes one operation, get")
    }
    var uri: ByteString?
    try input.eachMember(otherwise: KeychainError.misused("the request is not the JSON that bazel sends")) {
      (name, value) throws(JSONReader.Malformed) in
      if name == "uri" { uri = try value.string() }
    }
    guard let uri else { throw .misused("the request names no URI") }
    var json = JSONWriter()
    json.beginObject()
    if let answer = try answer(at: uri, call) {
      let header = try authorization(of: answer)
      json.beginObject("headers")
      json.beginArray("Authorization")
      header.withUnsafeBytes { json.textElement($0) }
      json.endArray()
      json.endObject()
      if let end = answer.credential.expiry {
        // Bazel keeps a header up to that second, and a request under way would be too late.
        let early = Timestamp(seconds: max(end - margin, call.now.seconds))
        json.textMember("expires", rfc3339(early))
      }
    } else {
      // This is not an error, because bazel also asks for public places.
      json.beginObject("headers")
      json.endObject()
    }
    json.endObject()
    try call.write(json.finishLine())
    return 0
  }

  private static func answer(at uri: ByteString, _ call: any ToolCall) throws(KeychainError) -> Answer? {
    var (place, account) = try Place.parse(uri)
    // gRPC runs over HTTP, so items of the same host answer.
    switch place.protocol {
    case "https", "http": break
    case "grpcs": place = Place(protocol: "https", server: place.server, port: place.port, path: place.path)
    case "grpc": place = Place(protocol: "http", server: place.server, port: place.port, path: place.path)
    default: return nil
    }
    return try Resolver(call, takesAccounts: true).answer(
      at: place, account: account, where: { _, _ in true })
  }
}
