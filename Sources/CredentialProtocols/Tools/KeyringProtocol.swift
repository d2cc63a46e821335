import Bytes
public import Keychain

/// The command-line protocol of Python's `keyring` program, as pip, uv and scripts call it
/// (https://keyring.readthedocs.io, "Command-line Utility"; version 25).
///
/// A service is any program's name, compared byte for byte. So `set` stores a generic password with exactly that
/// service and user name, as Python's keyring does in the Secret Service, and each finds the other's items.
public enum KeyringProtocol: ToolProtocol {
  /// The options of Python's keyring.
  public static let options: [ToolOption] = [
    .value("--mode"), .value("--output"), .flag("--list-backends"), .flag("--disable"),
    .value("--keyring-backend"), .value("-b"), .value("--keyring-path"), .value("-p"),
  ]

  /// Its clients ask for the password of an account, or for both.
  public static let rehearsal: Rehearsal? = { (url, account) in
    RehearsedArguments(account.map { ["get", url, $0] } ?? ["--mode", "creds", "get", url])
  }

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero keyring [OPTION...] get SERVICE [USER]
           llavero keyring [OPTION...] set | del SERVICE USER
           llavero keyring diagnose | --list-backends

    This is Python's 'keyring' for pip, uv and scripts, over the keychain. They call
    it after

      llavero link ~/.local/bin keyring

    and Python programs through a file of their own; see llavero-keyring(1). set
    reads the password from standard input.

      --mode password | creds   what get prints: the password of USER, or a user
                                name and its password
      --output plain | json     how get prints it

    """

  /// Answers one call.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    let form = try Form(call)
    if call.has("--list-backends") {
      try call.write("\(backend) (priority: \(priority))\n")
      return 0
    }
    if call.has("--disable") {
      throw .misused(
        "the keyring of Python is not this program's to disable", hint: "remove the link 'keyring'")
    }
    guard let operation = call.operands.first else {
      throw .misused("no operation was given", hint: operations)
    }
    switch operation {
    case "get":
      return try get(call, form)
    case "set":
      return try set(call)
    case "del":
      let (service, account) = try serviceAndAccount(call)
      let resolver = try Resolver(call, services: .everybodys)
      let isDeleted = try resolver.forget(service: service, account: account) > 0
      if !isDeleted { throw .failure("there is no such password to delete", status: .nothingMatched) }
      let lookup = KeyringLookup(resolver: resolver.withoutRenewing, account: account)
      resolver.sayWhat(stillAnswersFor: service, to: call) { () throws(KeychainError) in
        try lookup.answer(for: service)
      }
      return 0
    case "diagnose":
      try call.write(
        "version: llavero \(call.version)\nkeychain: see 'llavero status' and 'llavero doctor'\n")
      return 0
    default:
      throw .misused("unknown operation", hint: operations)
    }
  }

  /// Reports the failure on standard error. A wrong call ends with status 2, as with argparse.
  public static func refuse(_ refusal: Failure, _ call: any ToolCall) -> Int32 {
    call.say(refusal)
    return refusal.status == .nothingMatched ? 1 : 2
  }

  /// The item that `set` stores.
  package static func item(service: ByteString, account: ByteString?) -> Item {
    Item(.genericPassword(GenericPassword(service: service, account: account)), creator: creator)
  }

  private static let creator: ByteString = "Python keyring library"
  private static let operations: Hint = "there are get, set, del and diagnose"
  /// The class of the file for Python programs, and its priority there.
  private static let backend: ByteString = "llavero_keyring.Keyring"
  private static let priority = 6

  private static func get(_ call: any ToolCall, _ form: Form) throws(KeychainError) -> Int32 {
    let operands = call.operands
    guard operands.count == 3 || operands.count == 2 && form.hasAccount else {
      if operands.count > 3 { throw .misused("there is more than a service and a user name") }
      throw .misused(
        "get needs \(form.needs)", hint: form.hasAccount ? nil : "--mode creds needs no user name")
    }
    let lookup = KeyringLookup(
      resolver: try Resolver(call, services: .everybodys, takesAccounts: form.hasAccount),
      account: operands.count > 2 ? operands[2] : nil)
    guard let answer = try lookup.answer(for: operands[1]) else { return 1 }
    try call.write(try form.text(of: answer))
    return 0
  }

  private static func set(_ call: any ToolCall) throws(KeychainError) -> Int32 {
    // Read before any check, so that the writer is not stopped.
    let isTyped = call.isInputTerminal
    var secret = isTyped ? Secret() : try input(call)
    let (service, account) = try serviceAndAccount(call)
    if isTyped {
      secret = try call.askForSecret("Password for '\(account)' in '\(service)': ")
    } else if secret.isEmpty {
      throw .misused("no password was given on standard input", hint: "an empty line is an empty password")
    } else if secret.withUnsafeBytes({ $0.last == 0x0a }) {
      secret.truncate(to: secret.count - 1)
    }
    // With the creator that Python's keyring gives its own items, because it replaces no others.
    try Resolver(call, services: .everybodys).keep(
      Credential(secret), service: service, account: account, creator: creator)
    try call.hasStored()
    return 0
  }

  /// Reads standard input, with an optional line feed at its end.
  private static func input(_ call: any ToolCall) throws(KeychainError) -> Secret {
    do throws(KeychainError) {
      return try call.input(limit: ItemBounds.secret + 1)
    } catch {
      guard case .requestTooLong = error.fault(RequestFault.self) else { throw error }
      throw .misused("the password is longer than \(ItemBounds.secret) bytes")
    }
  }

  private static func serviceAndAccount(
    _ call: any ToolCall
  ) throws(KeychainError) -> (service: ByteString, account: ByteString) {
    guard call.operands.count == 3 else {
      throw .misused("\(call.operands[0]) needs a service and a user name, and nothing else")
    }
    return (call.operands[1], call.operands[2])
  }
}

private struct Form {
  /// `--mode creds`
  let hasAccount: Bool
  /// `--output json`
  let isJSON: Bool

  /// - Throws: ``KeychainError`` for an unknown value, and if another keyring is requested.
  init(_ call: any ToolCall) throws(KeychainError) {
    switch call.value(of: "--mode") {
    case nil, "password": hasAccount = false
    case "creds": hasAccount = true
    default: throw .misused("--mode is either password or creds")
    }
    switch call.value(of: "--output") {
    case nil, "plain": isJSON = false
    case "json": isJSON = true
    default: throw .misused("--output is either plain or json")
    }
    if call.has("--keyring-backend") || call.has("-b") {
      throw .misused(
        "the keychain is the only backend here", hint: "'python3 -m keyring' knows Python's backends")
    }
  }

  var needs: String { hasAccount ? "a service" : "a service and a user name" }

  /// - Throws: ``KeychainError`` if the answer can't be written in this form.
  func text(of answer: borrowing Answer) throws(KeychainError) -> Secret {
    let account = Secret(copying: hasAccount ? answer.item.key.account ?? "" : "")
    return isJSON ? try json(account, answer.credential.secret) : try plain(account, answer.credential.secret)
  }

  private func plain(_ account: borrowing Secret, _ secret: borrowing Secret) throws(KeychainError) -> Secret
  {
    func breaksLine(_ value: borrowing Secret) -> Bool {
      value.withUnsafeBytes { $0.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 } }
    }
    if breaksLine(secret) || breaksLine(account) {
      throw .failure(
        "the answer has a line break or a NUL byte in it", hint: "print it with --output json",
        status: .keychain)
    }
    var text = Secret(capacity: account.count + secret.count + 2)
    if hasAccount {
      text.append(account)
      text.append("\n")
    }
    text.append(secret)
    text.append("\n")
    return text
  }

  private func json(_ account: borrowing Secret, _ secret: borrowing Secret) throws(KeychainError) -> Secret {
    var text = Secret(capacity: 2 * (account.count + secret.count) + 40)
    text.append(hasAccount ? #"{"username": "# : #"{"password": "#)
    if hasAccount {
      try account.withUnsafeBytes { (bytes) throws(KeychainError) in try appendString(bytes, to: &text) }
      text.append(#", "password": "#)
    }
    try secret.withUnsafeBytes { (bytes) throws(KeychainError) in try appendString(bytes, to: &text) }
    text.append("}\n")
    return text
  }

  /// Appends a string as Python's `json.dumps` writes it, in ASCII only.
  private func appendString(_ bytes: UnsafeRawBufferPointer, to text: inout Secret) throws(KeychainError) {
    guard isValidUTF8(bytes) else {
      throw .failure(
        "the answer is not UTF-8, which JSON has to be", hint: "print it with --output plain",
        status: .keychain)
    }
    text.append("\"")
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): text.append("\\\"")
      case UInt8(ascii: "\\"): text.append("\\\\")
      case 0x08: text.append("\\b")
      case 0x09: text.append("\\t")
      case 0x0a: text.append("\\n")
      case 0x0c: text.append("\\f")
      case 0x0d: text.append("\\r")
      case 0x20..<0x7f: text.append(byte)
      case ..<0x80: appendEscape(UInt32(byte), to: &text)
      default:
        let more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
        var scalar = UInt32(byte) & (0x3f >> UInt32(more))
        for next in rest.prefix(more) { scalar = scalar << 6 | UInt32(next & 0x3f) }
        rest = rest.dropFirst(more)
        if scalar > 0xffff {
          appendEscape(0xd800 + (scalar - 0x10000) >> 10, to: &text)
          appendEscape(0xdc00 + (scalar - 0x10000) & 0x3ff, to: &text)
        } else {
          appendEscape(scalar, to: &text)
        }
      }
    }
    text.append("\"")
  }

  private func appendEscape(_ unit: UInt32, to text: inout Secret) {
    text.append("\\u")
    for shift in [12, 8, 4, 0] as [UInt32] {
      let digit = UInt8(unit >> shift & 15)
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}

/// Finds the item that answers for a service.
///
/// An item stored for exactly this service comes first. Pip and uv use the URL of an index as service. For a URL, an
/// item stored for a parent URL may answer too, then an internet password for that place, either with the security
/// domain `keyring` or one of git's or a person's. uv's own items come last.
private struct KeyringLookup {
  let resolver: Resolver
  /// The requested user name; `nil` for any.
  let account: ByteString?

  func answer(for service: ByteString) throws(KeychainError) -> Answer? {
    if let answer = try kept(service, account) { return answer }
    guard let url = ServiceURL(service) else { return nil }
    let account = account ?? url.account
    for name in url.parents where name != service {
      if let answer = try kept(name, account) { return answer }
    }
    if let answer = try resolver.answer(at: url.place, account: account, where: Self.isUsable) {
      return answer
    }
    return try kept(url.place.nameForUv, account, where: Self.isUvsLogin)
  }

  private func kept(
    _ service: ByteString, _ account: ByteString?,
    where isUsable: (Item, borrowing Credential) -> Bool = isUsable
  ) throws(KeychainError) -> Answer? {
    // No item has an empty service, and asking for one is not an error.
    if service.isEmpty { return nil }
    return try resolver.answer(toService: service, account: account, where: isUsable)
  }

  private static func isUsable(_ item: Item, _ credential: borrowing Credential) -> Bool {
    item.key.account != nil && credential.authenticationScheme == nil
  }

  /// Newer versions of uv store all logins for a server as JSON in one item; that is no password.
  private static func isUvsLogin(_ item: Item, _ credential: borrowing Credential) -> Bool {
    isUsable(item, credential) && item.key.account != "_uv_"
  }
}

/// A service that is a URL.
///
/// After the URL, pip and uv also ask for host and port alone, without the scheme, so an index at plain http would get
/// a password for https. Therefore only an item stored for exactly that name answers it.
private struct ServiceURL {
  let place: Place
  /// The services of items for parent places, best first.
  let parents: [ByteString]
  /// The account before the `@`, if any.
  let account: ByteString?

  /// The maximum number of parent paths to look for.
  private static let mostParents = 16

  /// Returns `nil` if the service isn't a URL.
  init?(_ service: ByteString) {
    guard service.bytes.indices.contains(where: { service.bytes[$0...].starts(with: "://".utf8) }),
      let (place, account) = try? Place.parse(service)
    else { return nil }
    self.place = place
    parents = Self.parents(of: service, at: place)
    self.account = account.nonEmpty
  }

  /// The parent URLs, longest first, each with and without a trailing slash.
  private static func parents(of url: ByteString, at place: Place) -> [ByteString] {
    var parents: [ByteString] = []
    let slash = UInt8(ascii: "/")
    let start = url.bytes.indices.first { url.bytes[$0...].starts(with: "://".utf8) } ?? 0
    var path = url.bytes[(start + 3)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    path = path.drop { $0 != slash }.drop { $0 == slash }
    while path.last == slash { path.removeLast() }
    while !path.isEmpty, parents.count < 2 * mostParents {
      let parent = place.serverURL.bytes + [slash] + path
      parents += [ByteString(parent + [slash]), ByteString(parent)]
      path = path.lastIndex(of: slash).map { path[..<$0] } ?? []
    }
    return parents + [joined(place.serverURL, "/"), place.serverURL]
  }

  private static func joined(_ first: ByteString, _ second: ByteString) -> ByteString {
    ByteString(first.bytes + second.bytes)
  }
}

extension Place {
  /// The service under which uv stores its own login for the server.
  fileprivate var nameForUv: ByteString {
    ByteString("uv:".utf8 + (`protocol` == "https" ? hostAndPort : serverURL).bytes)
  }
}
