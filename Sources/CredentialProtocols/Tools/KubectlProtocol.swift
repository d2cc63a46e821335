import Bytes
public import Keychain

/// The protocol of exec plugins for kubectl and all other Kubernetes clients (Kubernetes, "client-go credential
/// plugins"), in versions `v1` and `v1beta1`.
///
/// Standard input is not read: it may be the terminal, or the manifest for `kubectl apply -f -`.
public enum KubectlProtocol: ToolProtocol {
  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero kubectl [OPTION...] [NAME]

    Kubectl calls this by itself after, in ~/.kube/config:

      users:
      - name: prod
        user:
          exec:
            apiVersion: client.authentication.k8s.io/v1
            command: llavero
            args: [kubectl, prod]
            provideClusterInfo: true
            interactiveMode: Never

    The login is that of the user NAME at the cluster's server, or else of the
    service kubectl:NAME, and no other. To add a token, or a certificate and key:

      llavero add --domain kubectl --account prod https://prod.example:6443
      cat tls.crt tls.key | llavero add --service kubectl:prod

    Without NAME it is that of the server, whoever's it is; see llavero-kubectl(1).

    """

  /// Answers one call.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    guard call.operands.count <= 1 else { throw .misused("kubectl takes one name at most") }
    let request = try ExecRequest(call)
    let answer = try answer(to: request, named: call.operands.first, call)
    let login = try ClusterLogin(answer)
    let end = try expiry(
      of: answer, noted: login.expiration, login: answer.item.key.place, at: call.now)
    var json = JSONWriter()
    json.beginObject()
    json.textMember("apiVersion", request.version)
    json.textMember("kind", "ExecCredential")
    json.beginObject("status")
    if let end { json.textMember("expirationTimestamp", end) }
    if !login.token.isEmpty { login.token.withUnsafeBytes { json.textMember("token", $0) } }
    if !login.key.isEmpty {
      login.certificate.withUnsafeBytes { json.textMember("clientCertificateData", $0) }
      login.key.withUnsafeBytes { json.textMember("clientKeyData", $0) }
    }
    json.endObject()
    json.endObject()
    try call.write(json.finishLine())
    return 0
  }

  /// The login with the name, for the cluster or for every one; without a name, the one for the cluster. A name is one
  /// of several users of a cluster, so nothing else answers in its place.
  ///
  /// - Throws: ``KeychainError`` if there is none: kubectl can't learn that otherwise.
  private static func answer(
    to request: ExecRequest, named name: ByteString?, _ call: any ToolCall
  ) throws(KeychainError) -> Answer {
    let resolver = try Resolver(call)
    if let name {
      if let place = try request.server.map({ (url) throws(KeychainError) in try Place.parse(url).place }),
        let answer = try resolver.answer(at: place, account: name, sharing: .none)
      {
        return answer
      }
      if let answer = try resolver.answer(toService: name, sharing: .none) { return answer }
      let place = request.server.map { ["--domain", "kubectl", "--account", "\(name)", "\($0)"] }
      throw nothing(for: "the name \(name)", place ?? ["--service", "kubectl:\(name)"])
    }
    guard let server = request.server else {
      throw .misused(
        "kubectl named no cluster",
        hint: "in the kubeconfig, set provideClusterInfo to true or give a name in args")
    }
    if let answer = try resolver.token(at: try Place.parse(server).place) { return answer }
    throw nothing(for: "the cluster \(server)", ["--domain", "kubectl", "\(server)"])
  }

  private static func nothing(for what: String, _ place: [String]) -> KeychainError {
    .failure(
      "the keychain has no token or certificate for \(what)",
      hint: "add it with \(commandOf: ["llavero", "add"] + place)",
      status: .nothingMatched)
  }
}

private struct ExecRequest {
  /// The version required of the answer.
  private(set) var version: ByteString = ""
  /// The cluster's URL, if the configuration passes it on.
  private(set) var server: ByteString?

  private static let versions: [ByteString] = [
    "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1",
  ]

  /// - Throws: ``KeychainError`` if the variable isn't set, or its version is unknown.
  init(_ call: any ToolCall) throws(KeychainError) {
    guard let text = call.variable("KUBERNETES_EXEC_INFO") else {
      throw .misused(
        "this is for kubectl to call, which sets KUBERNETES_EXEC_INFO", hint: "see 'llavero kubectl --help'")
    }
    try Secret(copying: text).eachMember(
      otherwise: KeychainError.misused("the variable KUBERNETES_EXEC_INFO is not the JSON that kubectl gives")
    ) { (name, value) throws(JSONReader.Malformed) in
      if name == "apiVersion" { version = try value.string() }
      if name == "spec", value.kind != .null { try take(spec: value) }
    }
    guard Self.versions.contains(version) else {
      throw .misused(
        "kubectl asks in a version that llavero doesn't speak",
        hint: "in the kubeconfig, let apiVersion be client.authentication.k8s.io/v1")
    }
  }

  private mutating func take(spec: JSONValue) throws(JSONReader.Malformed) {
    try JSONReader.members(of: spec.raw) { (name, value) throws(JSONReader.Malformed) in
      guard name == "cluster", value.kind != .null else { return }
      try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
        if name == "server" { server = ByteString?(try value.string()).nonEmpty }
      }
    }
  }
}

/// A login to a cluster: a token, a certificate with its key, or both.
private struct ClusterLogin: ~Copyable {
  private(set) var token = Secret()
  private(set) var certificate = Secret()
  private(set) var key = Secret()
  private(set) var expiration: ByteString?

  /// Reads an item's secret: PEM, JSON with the names of ExecCredential or of a kubeconfig's user, or else a token.
  ///
  /// - Throws: ``KeychainError`` if a part is missing.
  init(_ answer: borrowing Answer) throws(KeychainError) {
    let isWhole = answer.credential.secret.withUnsafeBytes { text in
      if text.first == UInt8(ascii: "{") {
        return
          (try? JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
            try take(name, value)
          }) != nil
      }
      if Self.isPEM(text) { return takePEM(text) }
      token.append(text)
      return true
    }
    let isText = certificate.withUnsafeBytes { isValidUTF8($0) } && key.withUnsafeBytes { isValidUTF8($0) }
    guard isWhole, isText, certificate.isEmpty == key.isEmpty, !token.isEmpty || !key.isEmpty else {
      throw .failure(
        "the secret of \(answer.item.name) is neither a token nor a certificate with its key",
        hint: "see llavero-kubectl(1); replace it with 'llavero update'", status: .keychain)
    }
    if !token.isEmpty { try token.requireHeaderValue(of: answer.item) }
  }

  /// Reads a member of the stored JSON: of an ExecCredential's status, bare or within its object, or of a kubeconfig's
  /// user.
  private mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if name == "token" {
      token = try Self.text(value)
    } else if name == "clientCertificateData" {
      certificate = try Self.text(value)
    } else if name == "clientKeyData" {
      key = try Self.text(value)
    } else if name == "expirationTimestamp", value.kind != .null {
      expiration = try value.string()
    } else if name == "client-certificate-data" {
      certificate = try Self.base64(value)
    } else if name == "client-key-data" {
      key = try Self.base64(value)
    } else if name == "status" {
      try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
        if !(name == "status") { try take(name, value) }
      }
    }
  }

  private static func text(_ value: JSONValue) throws(JSONReader.Malformed) -> Secret {
    var text = Secret(capacity: value.raw.count)
    if value.kind != .null { try value.appendString(to: &text) }
    return text
  }

  private static func base64(_ value: JSONValue) throws(JSONReader.Malformed) -> Secret {
    var text = Secret(capacity: value.raw.count)
    if value.kind != .null { try value.appendBase64(to: &text) }
    return text
  }

  // MARK: PEM (RFC 7468)

  private static let begin = Array("-----BEGIN ".utf8)

  /// Whether any line begins a block: tools write remarks before it.
  private static func isPEM(_ text: UnsafeRawBufferPointer) -> Bool {
    lines(of: text).contains { $0.starts(with: begin) }
  }

  private static func lines(of text: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
    text.split(separator: 0x0a, omittingEmptySubsequences: true)
  }

  /// Splits the text into one or more certificates and the key. Returns `false` if a block has no end, there is more
  /// than one key, or the key needs a passphrase.
  private mutating func takePEM(_ text: UnsafeRawBufferPointer) -> Bool {
    var label: [UInt8]?
    for var line in Self.lines(of: text) {
      while let last = line.last, last <= 0x20 { line.removeLast() }
      let isBegin = line.starts(with: Self.begin)
      if isBegin {
        guard label == nil else { return false }
        label = Array(line.dropFirst(Self.begin.count))
      }
      guard let open = label else { continue }
      let isKey = open.ends(with: "PRIVATE KEY-----")
      if isKey {
        if isBegin, !key.isEmpty || open.starts(with: "ENCRYPTED".utf8) { return false }
        Self.append(line, to: &key)
      } else if open.elementsEqual("CERTIFICATE-----".utf8) {
        Self.append(line, to: &certificate)
      }
      if line.elementsEqual("-----END ".utf8 + open) { label = nil }
    }
    return label == nil
  }

  private static func append(_ line: Slice<UnsafeRawBufferPointer>, to block: inout Secret) {
    block.append(UnsafeRawBufferPointer(rebasing: line))
    block.append("\n")
  }
}

extension [UInt8] {
  fileprivate func ends(with text: StaticString) -> Bool {
    suffix(text.utf8CodeUnitCount).elementsEqual(ByteString(stringLiteral: text).bytes)
  }
}
