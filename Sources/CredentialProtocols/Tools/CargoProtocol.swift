import Bytes
public import Keychain

/// The protocol of cargo's credential providers, version 1, which uses JSON lines (The Cargo Book, "Credential Provider
/// Protocol").
///
/// A registry is identified only by the URL of its index: scheme, host, port and the whole path. Slashes around the
/// path and the case of the host make no difference. Its token is sent to the registry's own host, which is not always
/// the index's, so an item of git's never answers here.
public enum CargoProtocol: ToolProtocol {
  /// Cargo's option.
  public static let options: [ToolOption] = [.flag("--cargo-plugin")]

  /// Cargo describes the registry on standard input.
  public static let rehearsal: Rehearsal? = { (url, _) in
    RehearsedArguments(["--cargo-plugin"]) { json in
      json.member("v", 1)
      json.beginObject("registry")
      json.member("index-url", url)
      json.endObject()
      json.member("kind", "get" as ByteString)
      json.member("operation", "read" as ByteString)
    }
  }

  /// The text that `--help` prints.
  public static let usage = """
    usage: cargo-credential-llavero [OPTION...] --cargo-plugin

    Cargo calls this by itself after, in ~/.cargo/config.toml:

      [registry]
      global-credential-providers = ["cargo-credential-llavero"]

    Then 'cargo login' keeps a registry's token in the keychain; see
    cargo-credential-llavero(1).

    """

  /// Answers one call: a line for each line, until the end of the input.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    guard call.has("--cargo-plugin"), call.operands.isEmpty else {
      throw .misused("this is for cargo to call", hint: "see 'cargo-credential-llavero --help'")
    }
    try call.begin()
    try call.write(#"{"v":[1]}"# + "\n")
    var lines = LineInput(call)
    while let line = try lines.next() {
      // With another exit status cargo reports a failed helper, without the reason.
      let reply: Secret
      do throws(KeychainError) {
        reply = try answer(to: try CargoRequest(parsing: line), call)
      } catch {
        reply = failure(call.refusal(for: error))
      }
      try call.write(reply)
    }
    return 0
  }

  private static func answer(
    to request: borrowing CargoRequest, _ call: any ToolCall
  ) throws(KeychainError) -> Secret {
    guard request.version == 1 else { throw .misused("cargo speaks another version of its protocol") }
    guard ["get", "login", "logout"].contains(request.kind) else { return error("operation-not-supported") }
    guard let place = request.place else { return error("url-not-supported") }
    let account = try request.account()
    switch request.kind {
    case "login":
      let token: Secret
      switch request.token {
      case .some(let given): token = given.copy()
      case .none: token = try call.askForSecret(question(request))
      }
      if token.isEmpty { throw .misused("the token is empty") }
      try Resolver(call).keep(
        Credential(token), at: place, account: account, label: request.registryName.map(label),
        replacing: .thisAccount)
      try call.hasStored()
      return done("login")
    case "logout":
      return try Resolver(call).forget(at: place, account: account) > 0
        ? done("logout") : error("not-found")
    default:
      let answer = try Resolver(call).answer(at: place, account: account, sharing: .none) {
        place.isPlace(of: $0) && $1.authenticationScheme == nil
      }
      guard let answer else { return error("not-found") }
      return try token(answer)
    }
  }

  private static func token(_ answer: borrowing Answer) throws(KeychainError) -> Secret {
    guard answer.credential.secret.withUnsafeBytes({ isValidUTF8($0) }) else {
      throw .request(.unspeakableAnswer(key: "secret"))
    }
    var json = JSONWriter()
    json.beginObject()
    json.beginObject("Ok")
    json.member("kind", "get" as ByteString)
    answer.credential.secret.withUnsafeBytes { json.textMember("token", $0) }
    json.member("cache", answer.credential.expiry == nil ? "session" : "expires" as ByteString)
    json.member("expiration", answer.credential.expiry)
    json.member("operation_independent", true)
    json.endObject()
    json.endObject()
    return json.finishLine()
  }

  private static func done(_ kind: ByteString) -> Secret { reply("Ok", kind) }

  /// An error known to cargo; after `url-not-supported` and `not-found` it asks its next provider.
  private static func error(_ kind: ByteString) -> Secret { reply("Err", kind) }

  private static func reply(_ outcome: StaticString, _ kind: ByteString) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.beginObject(outcome)
    json.member("kind", kind)
    json.endObject()
    json.endObject()
    return json.finishLine()
  }

  private static func failure(_ refusal: Failure) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.beginObject("Err")
    json.member("kind", "other" as ByteString)
    let message =
      "llavero: " + refusal.message + (refusal.hint.map { "; \(showingInvisible($0.description))" } ?? "")
    ByteString(message).bytes.withUnsafeBytes { json.textMember("message", $0) }
    json.beginArray("caused-by")
    json.endArray()
    json.endObject()
    json.endObject()
    return json.finishLine()
  }

  private static func label(_ name: ByteString) -> ByteString {
    ByteString("cargo registry ".utf8 + name.bytes)
  }

  private static func question(_ request: borrowing CargoRequest) -> String {
    let registry = request.registryName.map { "the registry \($0)" } ?? "crates.io"
    guard let url = request.loginURL else { return "Token for \(registry): " }
    return "Token for \(registry), which \(url) shows: "
  }
}

extension CargoProtocol {
  /// The index URL by which cargo identifies crates.io, wherever it fetches from.
  package static let cratesIOIndex: ByteString = "https://github.com/rust-lang/crates.io-index"

  /// The item stored by `login`; `nil` if the index is not on a host.
  ///
  /// - Parameter registry: the registry's name; `nil` for crates.io.
  package static func item(index: ByteString, registry: ByteString?) -> Item? {
    guard let place = (try? Place.parse(index))?.place else { return nil }
    return Item(.internetPassword(place.key(account: nil, for: "cargo")), label: registry.map(label))
  }
}

private struct CargoRequest: ~Copyable {
  private(set) var version = 0
  private(set) var kind: ByteString = ""
  private(set) var registryName: ByteString?
  private(set) var token: Secret?
  private(set) var loginURL: ByteString?
  private var indexURL: ByteString = ""
  private var arguments: [ByteString] = []

  /// - Throws: ``KeychainError`` if it isn't cargo's JSON. Unknown members are ignored.
  init(parsing line: borrowing Secret) throws(KeychainError) {
    try line.eachMember(otherwise: KeychainError.misused("the request is not the JSON that cargo sends")) {
      (name, value) throws(JSONReader.Malformed) in
      try take(name, value)
    }
  }

  private mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if name == "v" {
      version = try value.integer()
    } else if name == "kind" {
      kind = try value.string()
    } else if name == "token", value.kind != .null {
      let secret = try value.secret()
      token = .some(consume secret)
    } else if name == "login-url", value.kind != .null {
      loginURL = try value.string()
    } else if name == "args" {
      try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
        arguments.append(try element.string())
      }
    } else if name == "registry" {
      try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
        if name == "index-url" { indexURL = try value.string() }
        if name == "name", value.kind != .null { registryName = try value.string() }
      }
    }
  }

  /// The place of the registry's index; `nil` for a URL without a host, such as a file URL.
  var place: Place? { (try? Place.parse(indexURL))?.place }

  /// The account in the provider's configuration.
  ///
  /// - Throws: ``KeychainError`` for any other argument.
  borrowing func account() throws(KeychainError) -> ByteString? {
    var account: ByteString?
    var reader = ArgumentReader(arguments)
    while let word = reader.next() {
      if word == .option("--account") {
        account = try reader.value()
      } else {
        throw .misused(
          "the provider's configuration has an unknown argument", hint: "there is '--account', 'NAME'")
      }
    }
    return account
  }
}
