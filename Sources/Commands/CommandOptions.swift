import ArgumentParser
import CredentialProtocols
import EncryptedFile
import Keychain

/// The options of every command.
struct KeychainOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The keychain to use: file or secret-service (default: $LLAVERO_KEYCHAIN, else what 'llavero status' says)",
      valueName: "kind"))
  var keychain: String?

  @Option(help: ArgumentHelp("Of the Secret Service, use this collection alone", valueName: "name"))
  var collection: String?

  @Option(
    help: ArgumentHelp(
      "How secrets travel from the Secret Service: encrypted or plain (default: encrypted)",
      valueName: "kind"))
  var session: String?

  @Option(help: ArgumentHelp("Read the keychain's passphrase from this descriptor", valueName: "n"))
  var passphraseFd: Int32?

  @Flag(help: "Ask nobody; a keychain that is locked is an error at once")
  var noPrompt = false

  func validate() throws {
    if let passphraseFd, passphraseFd < 0 {
      throw ValidationError("--passphrase-fd needs the number of a descriptor")
    }
  }

  /// What the options say.
  var selection: KeychainSelection {
    KeychainSelection(
      name: keychain, collection: collection, session: session, passphraseDescriptor: passphraseFd,
      mayPrompt: !noPrompt)
  }

  /// The chosen keychain.
  func open() throws(Failure) -> OpenKeychain {
    try selection.choose().open()
  }
}

/// Where to log in: a URL, or the name of a service that has none.
struct PlaceOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Where to log in: https://HOST[:PORT][/PATH], or just HOST for https", valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp("A service that has no URL, in place of one (a generic password)", valueName: "name"))
  var service: String?

  @Option(help: ArgumentHelp("The user name", valueName: "name"))
  var account: String?

  @Option(
    help: ArgumentHelp(
      "The tool that the item is for, such as docker (default: git and people)", valueName: "tool"))
  var domain: String?

  func validate() throws {
    if (url == nil) == (service == nil) { throw ValidationError("Name either a URL or --service.") }
    if service != nil, domain != nil { throw ValidationError("--domain goes with a URL.") }
  }

  /// What the options name, as an item's key.
  ///
  /// - Throws: ``Failure`` if the URL can't be understood, or contradicts `--account`.
  func key() throws(Failure) -> Item.Key {
    if let service {
      return .genericPassword(
        GenericPassword(service: ByteString(service), account: account.map { ByteString($0) }))
    }
    let text = Secret(url ?? "")
    let place = try explaining { () throws(ProtocolError) -> CredentialURL in
      try text.withUnsafeBytes { (bytes) throws(ProtocolError) in
        try CredentialURL(parsing: bytes, assuming: "https")
      }
    }
    switch place.password {
    case .none: break
    case .some:
      throw Self.passwordInURL
    }
    guard let host = HostAndPort(parsing: place.host) else {
      throw Failure(ProtocolError.unusableURL(.badHost))
    }
    let named = account.map { ByteString($0) }
    if let named, let inURL = place.account, named != inURL {
      throw Failure("the URL and --account name different accounts", status: .usage)
    }
    return .internetPassword(
      InternetPassword(
        protocol: place.protocol, server: host.server, port: host.port, account: named ?? place.account,
        path: place.path, securityDomain: domain.map { ByteString($0) }))
  }

  /// That a URL on the command line has a password in it.
  static let passwordInURL = Failure(
    "the URL has a password in it, which every process can read by now",
    hint: "change that password, and give the new one on standard input", status: .usage)

  /// What the options name, as a query.
  func query() throws(Failure) -> ItemQuery {
    let key = try key()
    return try explaining { () throws(KeychainError) in try ItemQuery(for: key) }
  }

  /// The items that the options name exactly: those of the very path and domain, and of every account if none is
  /// named.
  func items(in keychain: any KeychainStore) throws(Failure) -> [Item] {
    let key = try key()
    let query = try query()
    let found = try explaining { () throws(KeychainError) in try keychain.find(query) }
    return found.filter { item in
      guard case .internetPassword(let asked) = key, case .internetPassword(let held) = item.key else {
        return true
      }
      return held.path == asked.path && held.securityDomain == asked.securityDomain
    }
  }

  /// The one item that the options name exactly.
  ///
  /// - Throws: ``Failure`` if there is none, or more than one.
  func item(in keychain: any KeychainStore) throws(Failure) -> Item {
    let found = try items(in: keychain)
    guard let first = found.first else { throw try nothingMatches() }
    if found.count > 1 {
      throw Failure(
        "\(found.count) items match: \(found.map(\.key.name).joined(separator: ", "))",
        hint: "name one with --account", status: .usage)
    }
    return first
  }

  /// That the keychain has no such item.
  func nothingMatches() throws(Failure) -> Failure {
    Failure(
      "the keychain has nothing for \(Item(try key()).name)", hint: "see what it has with 'llavero list'",
      status: .nothingMatched)
  }
}

/// What is noted about an item.
struct NoteOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A name for people", valueName: "text"))
  var label: String?

  @Option(help: ArgumentHelp("A remark", valueName: "text"))
  var comment: String?

  var isEmpty: Bool { label == nil && comment == nil }

  /// Notes it. An empty text removes what was noted.
  func note(on item: inout Item) {
    if let label { item.label = ByteString?(ByteString(label)).nonEmpty }
    if let comment { item.comment = ByteString?(ByteString(comment)).nonEmpty }
  }
}

/// Whether a program reads what is printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON")
  var json = false
}
