import Bytes
public import Keychain

/// The protocol of Terraform's and OpenTofu's credentials helpers (Terraform, "Create Credentials Helpers").
///
/// A host has one token, sent as `Bearer`; also to another host if that runs the services.
public enum TerraformProtocol: ToolProtocol {
  /// Terraform passes the host.
  public static let rehearsal: Rehearsal? = { (url, _) throws(KeychainError) in
    RehearsedArguments(["get", try Place.parse(url, assuming: "https").place.hostAndPort])
  }

  /// The text that `--help` prints.
  public static let usage = """
    usage: terraform-credentials-llavero [OPTION...] get | store | forget HOST

    Terraform and OpenTofu call this by themselves after, in ~/.terraformrc or
    ~/.tofurc:

      credentials_helper "llavero" {}

    if it is linked from ~/.terraform.d/plugins; see
    terraform-credentials-llavero(1).

    get prints {"token":"..."}, or {} where there is none; store reads the same.

    """

  /// Answers one call.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    // The protocol demands that all of it is read.
    let input = try call.input()
    guard call.operands.count == 2 else {
      throw .misused(
        "terraform's helper takes an operation and a host", hint: "there are get, store and forget")
    }
    let place = try place(call.operands[1])
    switch call.operands[0] {
    case "get":
      try call.write(try answer(at: place, call))
    case "store":
      try Resolver(call).keep(Credential(try token(input)), at: place, account: nil)
      try call.hasStored()
    case "forget":
      let resolver = try Resolver(call)
      try resolver.forget(at: place)
      resolver.sayWhat(stillAnswersFor: place.hostAndPort, to: call) { () throws(KeychainError) in
        try resolver.withoutRenewing.token(at: place, where: place.isPlace)
      }
    default:
      throw .misused("unknown operation", hint: "there are get, store and forget")
    }
    return 0
  }

  /// Returns the answer. A missing item is not an error: terraform asks for every host, also for public registries.
  private static func answer(at place: Place, _ call: any ToolCall) throws(KeychainError) -> Secret {
    let answer = try Resolver(call).token(at: place, where: place.isPlace)
    var json = JSONWriter()
    json.beginObject()
    switch answer {
    case .some(let answer):
      try answer.credential.secret.requireHeaderValue(of: answer.item)
      answer.credential.secret.withUnsafeBytes { json.textMember("token", $0) }
    case .none: break
    }
    json.endObject()
    return json.finishLine()
  }

  /// The token to store.
  ///
  /// - Throws: ``KeychainError`` for anything but an object with only a token: other members would be lost.
  private static func token(_ input: borrowing Secret) throws(KeychainError) -> Secret {
    var token = Secret()
    var hasMore = false
    try input.eachMember(otherwise: KeychainError.misused("the input is not the JSON that terraform sends")) {
      (name, value) throws(JSONReader.Malformed) in
      guard name == "token" else {
        hasMore = true
        return
      }
      token = try value.secret()
    }
    if hasMore { throw .misused("terraform wants more stored than a token; nothing was changed") }
    guard token.isHeaderValue() else {
      throw .misused("the token is empty, or has characters that an HTTP header can't carry")
    }
    return token
  }

  /// Parses terraform's host, as `NAME` or `NAME:PORT`.
  private static func place(_ host: ByteString) throws(KeychainError) -> Place {
    let isForeign = host.bytes.contains { byte in
      byte <= 0x20 || byte == 0x7f || "/?#@%\\".utf8.contains(byte)
    }
    guard !isForeign, let parsed = HostAndPort(parsing: host), !parsed.server.isEmpty else {
      throw .misused(
        "the host can't be understood", hint: "it is a name like app.terraform.io, perhaps with a port")
    }
    return Place(protocol: "https", server: parsed.server, port: parsed.port)
  }
}
