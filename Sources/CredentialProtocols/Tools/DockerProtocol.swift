import Bytes
public import Keychain

/// The protocol of docker's credential helpers, which podman, skopeo, buildah, helm and others speak as well
/// (docker/docker-credential-helpers, README "Development").
///
/// The address of a registry is usually a host with a port; Docker Hub's is a URL. Failures are reported in one line on
/// standard output, where clients look.
public enum DockerProtocol: ToolProtocol {
  /// The messages that clients recognize; each must be the only line.
  private static let notFound = "credentials not found in native keychain"
  private static let noAddress = "no credentials server URL"
  private static let noAccount = "no credentials username"

  /// The options of upstream's helpers, besides the operation `version`.
  public static let options: [ToolOption] = [.flag("--version"), .flag("-v")]

  /// Docker passes the registry's address on standard input.
  public static let rehearsal: Rehearsal? = { (url, _) in RehearsedArguments(["get"], input: url) }

  /// The text that `--help` prints.
  public static let usage = """
    usage: docker-credential-llavero [OPTION...] store|get|erase|list|version

    Docker and other clients of registries call this by themselves after
    "credsStore": "llavero" in ~/.docker/config.json; see
    docker-credential-llavero(1).

    store reads {"ServerURL":"...","Username":"...","Secret":"..."}, get and erase
    read the registry's address. list prints the addresses and user names of what
    docker has stored.

    """

  /// Answers one call.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    if call.has("--version") || call.has("-v") { return try version(call) }
    guard call.operands.count == 1, let operation = call.operands.first else {
      throw .misused(
        "docker's helper takes one operation", hint: "there are store, get, erase, list and version")
    }
    switch operation {
    case "store": return try store(call)
    case "get": return try get(call)
    case "erase": return try erase(call)
    case "list": return try list(call)
    case "version": return try version(call)
    default: throw .misused("unknown operation", hint: "there are store, get, erase, list and version")
    }
  }

  /// Reports the failure on standard output: clients show the first line.
  public static func refuse(_ refusal: Failure, _ call: any ToolCall) -> Int32 {
    let text =
      "llavero: \(refusal.message)" + (refusal.hint.map { "; \(showingInvisible($0.description))" } ?? "")
      + "\n"
    // A closed output is no reason to fail.
    try? call.write(text)
    return 1
  }

  private static func version(_ call: any ToolCall) throws(KeychainError) -> Int32 {
    try call.write("\(call.programName) (llavero) \(call.version)\n")
    return 0
  }

  private static func store(_ call: any ToolCall) throws(KeychainError) -> Int32 {
    let input = try call.input()
    var login = DockerLogin()
    try input.eachMember(otherwise: KeychainError.misused("the input is not the JSON that docker sends")) {
      (name, value) throws(JSONReader.Malformed) in
      try login.take(name, value)
    }
    guard !login.address.isEmpty else { return try say(noAddress, call) }
    let registry = try Registry(login.address)
    guard !login.account.isEmpty else { return try say(noAccount, call) }
    try Resolver(call).keep(
      Credential(login.secret), at: registry.place, account: login.account, label: registry.address)
    try call.hasStored()
    return 0
  }

  private static func get(_ call: any ToolCall) throws(KeychainError) -> Int32 {
    let address = try address(call)
    guard !address.isEmpty else { return try say(noAddress, call) }
    let registry = try Registry(address)
    let found: Answer?
    do throws(KeychainError) {
      found = try Self.answer(for: registry, try Resolver(call))
    } catch {
      let refusal = call.refusal(for: error)
      guard refusal.status == .keychain else { throw error }
      // After any other text skopeo, podman and buildah give up, even for a public image, and docker says nothing. All
      // of them show standard error.
      call.say(refusal)
      found = nil
    }
    guard let answer = found, let account = answer.item.key.account else { return try say(notFound, call) }
    // JSON strings are always UTF-8, and a registry would reject an altered secret without giving a reason.
    guard account.text != nil else { throw .request(.unspeakableAnswer(key: "account")) }
    guard answer.credential.secret.withUnsafeBytes({ isValidUTF8($0) }) else {
      throw .request(.unspeakableAnswer(key: "secret"))
    }
    var json = JSONWriter()
    json.beginObject()
    for (name, value) in [("ServerURL" as ByteString, registry.address), ("Username", account)] {
      value.bytes.withUnsafeBytes { json.textMember(name, $0) }
    }
    answer.credential.secret.withUnsafeBytes { json.textMember("Secret", $0) }
    json.endObject()
    try call.write(json.finishLine())
    return 0
  }

  private static func erase(_ call: any ToolCall) throws(KeychainError) -> Int32 {
    let address = try address(call)
    guard !address.isEmpty else { return try say(noAddress, call) }
    let registry = try Registry(address)
    let resolver = try Resolver(call)
    // A missing item is not an error: skopeo 1.9 dies of one. Deletes the items that `get` would return for these
    // words.
    for place in registry.places { try resolver.forget(at: place) }
    // Docker erases HOST, http://HOST and https://HOST.
    resolver.sayWhat(stillAnswersFor: registry.address, to: call, isOnce: true) { () throws(KeychainError) in
      try answer(for: registry, resolver.withoutRenewing)
    }
    return 0
  }

  private static func list(_ call: any ToolCall) throws(KeychainError) -> Int32 {
    // Clients send the word `unused`.
    _ = try call.input()
    var json = JSONWriter()
    var seen: Set<ByteString> = []
    json.beginObject()
    for item in try Resolver(call).items() {
      guard case .internetPassword(let key) = item.key, let account = key.account,
        let address = Registry.address(of: item)
      else { continue }
      if address.text == nil || account.text == nil || !seen.insert(address).inserted { continue }
      account.bytes.withUnsafeBytes { json.textMember(address, $0) }
    }
    json.endObject()
    try call.write(json.finishLine())
    return 0
  }

  /// The registry named by `get` and `erase`, without surrounding white space.
  private static func address(_ call: any ToolCall) throws(KeychainError) -> ByteString {
    let input = try call.input(limit: ItemBounds.attribute)
    var bytes = input.withUnsafeBytes { Array($0) }[...]
    func isSpace(_ byte: UInt8?) -> Bool { byte.map { $0 == 0x20 || 0x09...0x0d ~= $0 } ?? false }
    while isSpace(bytes.last) { bytes.removeLast() }
    while isSpace(bytes.first) { bytes.removeFirst() }
    return ByteString(Array(bytes))
  }

  /// The item stored for exactly this address. For a whole registry, else the item stored for another of its names or
  /// for its server, or git's item.
  private static func answer(
    for registry: Registry, _ resolver: Resolver
  ) throws(KeychainError) -> Answer? {
    func isLogin(_ item: Item, _ credential: borrowing Credential) -> Bool {
      item.key.account != nil && credential.authenticationScheme == nil
    }
    func exact(_ place: Place) throws(KeychainError) -> Answer? {
      try resolver.answer(at: place, sharing: .none) { item, credential in
        place.isPlace(of: item) && isLogin(item, credential)
      }
    }
    for place in registry.places {
      if let answer = try exact(place) { return answer }
    }
    guard registry.isWhole else { return nil }
    return try resolver.answer(at: registry.server) { item, credential in
      item[.securityDomain] == nil && isLogin(item, credential)
    }
  }

  private static func say(_ line: String, _ call: any ToolCall) throws(KeychainError) -> Int32 {
    try call.write(line + "\n")
    return 1
  }
}

extension DockerProtocol {
  /// The account under which a registry's identity token is stored.
  package static let tokenAccount: ByteString = "<token>"

  /// Whether an address names a part of a registry, such as one repository. podman and skopeo look such a part up only
  /// in their file, and ask helpers for the whole registry.
  package static func isPart(_ address: ByteString) -> Bool {
    guard let registry = try? Registry(address), let path = registry.place.path else { return false }
    return !registry.isWhole && !Registry.tokenPaths.contains(path)
  }

  /// The item stored by `store`.
  ///
  /// - Parameter address: the registry, as docker writes it.
  /// - Throws: ``KeychainError`` for an invalid address.
  package static func item(at address: ByteString, account: ByteString) throws(KeychainError) -> Item {
    Item(
      .internetPassword(try Registry(address).place.key(account: account, for: "docker")), label: address)
  }
}

private struct DockerLogin: ~Copyable {
  var address: ByteString = ""
  var account: ByteString = ""
  var secret = Secret()

  mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if name == "ServerURL" {
      address = try value.string()
    } else if name == "Username" {
      account = try value.string()
    } else if name == "Secret" {
      secret = try value.secret()
    }
  }
}

/// A registry's address as clients write it: usually host and port, or a URL.
private struct Registry {
  let address: ByteString
  let place: Place

  /// Docker Hub's names: the docker CLI, skopeo, oras and Jib each use a different one.
  private static let hub: [(server: ByteString, path: ByteString?)] = [
    ("index.docker.io", "v1"), ("index.docker.io", nil), ("docker.io", nil), ("registry-1.docker.io", nil),
    ("registry.hub.docker.com", nil),
  ]

  /// The paths under which docker keeps its own tokens.
  static let tokenPaths: [ByteString] = ["v1/access-token", "v1/refresh-token"]

  init(_ address: ByteString) throws(KeychainError) {
    self.address = address
    do throws(KeychainError) {
      place = try Place.parse(address, assuming: "https").place
    } catch {
      throw .misused("the registry's address can't be understood")
    }
  }

  var server: Place { Place(protocol: place.protocol, server: place.server, port: place.port) }

  /// Whether it names a whole registry, not a single repository or one of docker's tokens. A password must not be taken
  /// for the refresh token of `https://index.docker.io/v1/refresh-token`, which `docker logout` revokes.
  var isWhole: Bool { place.path.map { $0 == "v1" || $0 == "v2" } ?? true }

  /// Where its logins may be, best first: at its own place; for a whole registry also at those of its other names, and
  /// at its server.
  var places: [Place] {
    guard isWhole else { return [place] }
    let isHub =
      server.protocol == "https" && server.port == nil && Self.hub.contains { $0.server == server.server }
    let others =
      isHub
      ? Self.hub.map { Place(protocol: "https", server: $0.server, path: $0.path) } : []
    return [place] + (others + [server]).filter { $0 != place }
  }

  /// The address in an item's label, with which it was stored; else one that leads to the item.
  static func address(of item: Item) -> ByteString? {
    guard case .internetPassword(let key) = item.key, let server = key.server else { return nil }
    let place = Place(protocol: key.protocol, server: server, port: key.port, path: key.path)
    if let label = item.label, let registry = try? Registry(label), registry.place == place { return label }
    if place.protocol == "https", place.path == nil { return place.hostAndPort }
    let path = place.path.map { [UInt8(ascii: "/")] + $0.bytes + [UInt8(ascii: "/")] } ?? []
    return ByteString(place.serverURL.bytes + path)
  }
}
