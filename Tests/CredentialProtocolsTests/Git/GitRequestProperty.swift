import Keychain
import KeychainTesting
import Properties

@testable import CredentialProtocols

/// The properties of any bytes that git, or a program that pretends to be git, may send.
enum GitRequestProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let text = try checkReading(input) else { return }
    let request: RevealedRequest
    do throws(KeychainError) {
      request = try RevealedRequest(parsing: text)
    } catch {
      try require(Model(text) == nil || !error.isOfLines, "lines of pairs without NUL are read: \(error)")
      return
    }
    guard let model = Model(text) else { throw PropertyFailure("only lines of pairs without NUL are read") }
    try require((try? RevealedRequest(parsing: text)) == request, "a request says the same twice")
    try checkValues(request)
    try check(request, against: model)
    let again = try require("a request can be said again") { () throws(KeychainError) in
      try RevealedRequest(parsing: request.lines)
    }
    try require(again == request, "a request said again is the same")
    try checkAnswer(text, request)
  }

  // MARK: Lines

  /// However the input is split, the request is the text before the blank line.
  private static func checkReading(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) -> [UInt8]? {
    let expected: [UInt8]?
    if input.first == 0x0a {
      expected = []
    } else if let blank = input.indices.dropFirst().first(where: {
      input[$0] == 0x0a && input[$0 - 1] == 0x0a
    }) {
      expected = Array(input[..<blank])
    } else {
      expected = input.isEmpty || input.last == 0x0a ? Array(input) : nil
    }
    for size in [3, 4096] {
      var rest = input[...]
      var text: [UInt8]?
      do throws(KeychainError) {
        text = try RequestLines.read { (buffer) throws(KeychainError) in
          let piece = rest.prefix(min(size, buffer.count))
          buffer.copyBytes(from: piece)
          rest = rest.dropFirst(piece.count)
          return piece.count
        }.withUnsafeBytes { Array($0) }
      } catch {
        guard case .unfinishedLine = error.fault(RequestFault.self) else {
          throw PropertyFailure("short lines are read: \(error)")
        }
      }
      try require(text == expected, "a request in pieces of \(size) ends where it does")
    }
    return expected
  }

  // MARK: Values

  private static func checkValues(_ request: RevealedRequest) throws(PropertyFailure) {
    for (key, value) in request.values {
      try require(!value.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 }, "\(key) is of one line")
    }
    try require(request.port != 0, "a port is none or from 1")
    if let server = request.server {
      try require(!server.bytes.contains { $0 == 0x5b || $0 == 0x5d }, "brackets are no part of a server")
    }
    if let expiry = request.expiry { try require(expiry >= 0, "an expiry has no sign") }
  }

  /// A simple reader's view of the lines: if a key occurs twice, the last value counts, and a URL unsets its parts.
  private static func check(_ request: RevealedRequest, against model: Model) throws(PropertyFailure) {
    let ofURL = ["protocol", "username", "path", "password"]
    for (key, value) in [
      ("protocol", request.protocol), ("username", request.username), ("path", request.path),
      ("password", request.password), ("oauth_refresh_token", request.refreshToken),
      ("authtype", request.authtype), ("credential", request.credential),
    ] where !ofURL.contains(key) || model.isLast(key, over: "url") {
      try require(value?.bytes == model.last(key), "\(key) is that of the last line that names it")
    }
    if let server = request.server, model.isLast("host", over: "url") {
      let host = model.last("host") ?? []
      try require(
        host.starts(with: server.bytes) || host.starts(with: [0x5b] + server.bytes + [0x5d]),
        "the server is what its line begins with")
    }
    if let url = model.last("url"), !model.isLast("protocol", over: "url"), let name = request.protocol {
      try require(url.contains(0x25) || url.starts(with: name.bytes + Array("://".utf8)), "a URL begins so")
    }
    for (name, flag) in [("authtype", GitRequest.Capabilities.authtype), ("state", .state)] {
      try require(
        !request.capabilities.contains(flag)
          || model.pairs.contains { $0 == (Array("capability[]".utf8), Array(name.utf8)) },
        "a capability is one that was announced")
    }
  }

  /// The pairs of a request, parsed as simply as possible.
  private struct Model {
    private(set) var pairs: [(key: [UInt8], value: [UInt8])] = []

    /// Returns `nil` if a line is not a pair.
    init?(_ text: [UInt8]) {
      for line in text.split(separator: 0x0a) {
        guard !line.contains(0), let equals = line.firstIndex(of: 0x3d) else { return nil }
        pairs.append((Array(line[..<equals]), Array(line[(equals + 1)...])))
      }
    }

    private func position(_ key: String) -> Int {
      pairs.lastIndex { $0.key == Array(key.utf8) } ?? -1
    }

    func last(_ key: String) -> [UInt8]? {
      pairs.last { $0.key == Array(key.utf8) }?.value
    }

    /// Whether `key` is decided by its own line, or both are missing.
    func isLast(_ key: String, over other: String) -> Bool {
      position(key) > position(other) || position(other) < 0
    }
  }

  // MARK: Answers

  private static let now = Timestamp(seconds: 1_800_000_000)

  /// What is stored is returned to the same request, in lines that are a valid request themselves, until it is erased.
  private static func checkAnswer(_ text: [UInt8], _ request: RevealedRequest) throws(PropertyFailure) {
    let keychain = InMemoryKeychain { now }
    var outcome: SaveOutcome?
    var git = GitCredentialProtocol()
    git.onSave = { outcome = $0 }
    let said: [UInt8]
    do throws(KeychainError) {
      said = try perform(git, .store, text, keychain)
    } catch {
      guard error.fault(RequestFault.self) == nil else {
        throw PropertyFailure("store fails as its keychain does: \(error)")
      }
      try require(outcome == nil, "what failed was not said to be kept")
      return
    }
    try require(said.isEmpty, "store says nothing")
    guard outcome != nil else {
      let reply = try require("get") { () throws(KeychainError) in try perform(git, .get, text, keychain) }
      return try require(reply.isEmpty, "nothing is answered that wasn't stored")
    }
    try require(
      !request.isEphemeral && (request.expiry ?? .max) > now.seconds, "what doesn't last isn't stored")

    let reply: [UInt8]
    do throws(KeychainError) {
      reply = try perform(git, .get, text, keychain)
    } catch {
      throw PropertyFailure("what git said can be said to git: \(error)")
    }
    try require(reply.last == 0x0a && !reply.contains(0) && !reply.contains(0x0d), "an answer is lines")
    let answer = try require("an answer reads as a request") { () throws(KeychainError) in
      try RevealedRequest(parsing: reply)
    }
    let usesCredential = answer.authtype != nil
    try require(answer.username == request.username, "an answer names the account")
    try require(
      usesCredential
        ? answer.credential == request.credential && answer.authtype == request.authtype
        : answer.password == request.password,
      "an answer holds the secret that was stored")
    try require(
      answer.refreshToken == request.refreshToken && answer.expiry == request.expiry, "and what goes with it")
    try require(answer.capabilities.isSubset(of: request.capabilities), "only what was announced is used")
    try require(
      request.capabilities.contains(.authtype) || !usesCredential, "a scheme is named only to who knows it")
    try require(
      (answer.answered != nil) == request.capabilities.contains(.state), "a state is given to who keeps it")

    // A request for another protocol or server gets no answer.
    for other in ["protocol=other\n", "host=other.example\n", "url=https://other.example\n"] {
      let silence = try? perform(git, .get, text + other.utf8, keychain)
      let there = try? RevealedRequest(parsing: text + other.utf8)
      let isSame = there?.isOfSamePlace(as: request) ?? false
      try require(silence == nil || silence == [] || isSame, "another place isn't answered: \(other)")
    }
    _ = try require("erase") { () throws(KeychainError) in try perform(git, .erase, text, keychain) }
    let rest = try require("get after erase") { () throws(KeychainError) in
      try perform(git, .get, text, keychain)
    }
    try require(rest.isEmpty, "what was erased isn't answered")
  }

  private static func perform(
    _ git: GitCredentialProtocol, _ operation: GitCredentialProtocol.Operation, _ text: [UInt8],
    _ keychain: any KeychainStore
  ) throws(KeychainError) -> [UInt8] {
    let request = try lend(text) { (bytes) throws(KeychainError) in try GitRequest(parsing: bytes) }
    return try git.perform(operation, request, on: keychain, at: now).withUnsafeBytes { Array($0) }
  }
}

/// A request whose secrets are visible.
struct RevealedRequest: Equatable {
  var capabilities: GitRequest.Capabilities = []
  var `protocol`: ByteString?
  var server: ByteString?
  var port: UInt16?
  var path: ByteString?
  var username: ByteString?
  var password: ByteString?
  var expiry: Int64?
  var refreshToken: ByteString?
  var authtype: ByteString?
  var credential: ByteString?
  var isEphemeral = false
  var answered: ByteString?
  var continued: Int64?
}

extension RevealedRequest {
  init(parsing text: [UInt8]) throws(KeychainError) {
    let request = try lend(text) { (bytes) throws(KeychainError) in try GitRequest(parsing: bytes) }
    capabilities = request.capabilities
    `protocol` = request.protocol
    server = request.host?.server
    port = request.host?.port
    path = request.path
    username = request.username
    password = Self.shown(request.password)
    expiry = request.passwordExpiry
    refreshToken = Self.shown(request.refreshToken)
    authtype = request.authenticationScheme
    credential = Self.shown(request.credential)
    isEphemeral = request.isEphemeral
    answered = request.state?.item.bytes
    continued = request.state?.continued?.milliseconds
  }

  private static func shown(_ secret: borrowing Secret?) -> ByteString? {
    switch secret {
    case .none: nil
    case .some(let secret): secret.withUnsafeBytes { ByteString($0) }
    }
  }

  /// The values that came from outside and may be sent again.
  var values: [(key: String, value: [UInt8])] {
    [
      ("protocol", `protocol`), ("host", server), ("path", path), ("username", username),
      ("password", password), ("oauth_refresh_token", refreshToken), ("authtype", authtype),
      ("credential", credential),
    ].compactMap { key, value in value.map { (key, $0.bytes) } }
  }

  /// The request as lines.
  var lines: [UInt8] {
    var lines: [UInt8] = []
    for (name, flag) in [("authtype", GitRequest.Capabilities.authtype), ("state", .state)]
    where capabilities.contains(flag) { lines += "capability[]=\(name)\n".utf8 }
    for (key, value) in values {
      var value = value
      if key == "host" {
        if value.contains(0x3a) { value = [0x5b] + value + [0x5d] }
        if let port { value += ":\(port)".utf8 }
      }
      lines += Array("\(key)=".utf8) + value + [0x0a]
    }
    if let expiry { lines += "password_expiry_utc=\(expiry)\n".utf8 }
    if isEphemeral { lines += "ephemeral=1\n".utf8 }
    if let answered {
      lines += Array("state[]=llavero\(continued.map { "+\($0)" } ?? ""):".utf8) + answered.bytes + [0x0a]
    }
    return lines
  }

  func isOfSamePlace(as other: RevealedRequest) -> Bool {
    guard let mine = self.protocol, let others = other.protocol, mine.isEqualIgnoringCase(others) else {
      return false
    }
    return (server ?? "").isEqualIgnoringCase(other.server ?? "")
  }
}

extension KeychainError {
  /// Whether the error concerns the form of the lines, not their values.
  fileprivate var isOfLines: Bool {
    switch fault(RequestFault.self) {
    case .lineWithoutEqualsSign, .lineWithNUL: true
    default: false
    }
  }
}
