import ArgumentParser
import Bytes
import Keychain
import KeychainChoice
import ToolCommands

struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add an item",
    discussion: """
      You are asked for the secret on the terminal, or it is read from standard input; never from the command line:

        llavero add https://github.com --account alice
        pass show github | head -n 1 | llavero add https://github.com --account alice
        llavero add https://github.com --account alice --expires 2027-01-31 --update

      On a terminal you are asked for the user name too, unless you name it: git needs one beside the secret.

      One item can serve everything under a path, such as an organisation's: https://github.com/acme
      """)

  @OptionGroup var place: NewPlaceOptions

  @Option("How the server asks for it, as part of the item's key", value: "text")
  var authenticationType: String?

  @OptionGroup var notes: ItemAttributeOptions
  @OptionGroup var kept: CredentialOptions

  @Option("Read an OAuth refresh token from this descriptor", value: "n")
  var refreshTokenFd: Int32?

  @Option(
    "Get tokens of one hour by this GitHub App, whenever they are needed, instead of keeping a secret",
    value: "id")
  var githubApp: String?

  @Option("The file with the app's private key; - for standard input", value: "file")
  var key: String?

  @OptionGroup(title: "Tokens of a job") var exchange: ExchangeOptions

  @Flag(help: "If the item exists, change its secret, and the label, comment and so on that you give")
  var update = false

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func validate() throws {
    if (githubApp == nil) != (key == nil) {
      throw ValidationError("--github-app and --key go together.")
    }
    let place = place.named
    if githubApp != nil, place.service != nil || place.account != nil || refreshTokenFd != nil {
      throw ValidationError("--github-app goes with a URL alone.")
    }
    if exchange.exchange != nil, place.service != nil || githubApp != nil || refreshTokenFd != nil {
      throw ValidationError("--exchange goes with a URL.")
    }
    let isMade = githubApp != nil || exchange.exchange != nil
    if isMade, !notes.isEmpty || !kept.isEmpty || authenticationType != nil {
      throw ValidationError(
        "With --github-app and --exchange, llavero says itself what the tokens are and when they expire: leave out --label, "
          + "--expires and the like.")
    }
    if authenticationType != nil, place.service != nil {
      throw ValidationError("--authentication-type goes with a URL.")
    }
    if let refreshTokenFd {
      if refreshTokenFd < 0 { throw ValidationError("--refresh-token-fd needs the number of a descriptor.") }
    }
    let descriptors = [refreshTokenFd, kept.codeFd, keychain.passphraseFd].compactMap(\.self)
    if Set(descriptors).count < descriptors.count {
      throw ValidationError(
        "Each of --refresh-token-fd, --code-fd and --passphrase-fd needs a descriptor of its own.")
    }
  }

  func run() throws(KeychainError) {
    if let githubApp, let key {
      let app = AddingApp(identifier: githubApp, keyFile: key)
      return try add { (open) throws(KeychainError) in
        (try app.add(for: place.named, isUpdate: update, to: open), false)
      }
    }
    if let endpoint = exchange.exchange {
      let exchange = AddingExchange(endpoint: endpoint, options: exchange)
      return try add { (open) throws(KeychainError) in
        try exchange.add(for: place.named, isUpdate: update, to: open)
      }
    }
    try refuseSharedInput()
    var change = try kept.change()
    var named = place.named
    named.authenticationType = authenticationType
    // Report an invalid place before the keychain is opened. That may replace the process, so only then somebody is asked.
    let key = try named.key()
    try named.refuseImpossibleHost(key, in: "add")
    let open = try self.keychain.open()
    let keychain = open.own
    if !output.quiet, !output.json { named.sayIfTakenAsHost(key, in: "add") }
    let wasAsked: Bool
    if let terminal = Terminal.ofPerson(mayAsk: self.keychain.selection.mayAskPerson) {
      // Nobody makes a token for an item that is there.
      if !update, !key.leavesNameToGit { try refuseTwin(of: Item(key), in: keychain) }
      TokenPage(for: key)?.show(on: terminal)
      if key.leavesNameToGit { named.account = try account(askedOn: terminal) }
      wasAsked = true
    } else {
      wasAsked = false
    }
    var item = Item(try named.key())
    notes.note(on: &item)
    // Check for impossible and existing items before asking for the secret.
    try item.validateKey()
    try item.validate()
    if !update { try refuseTwin(of: item, in: keychain) }
    var credential = Credential(
      try SecretInput.read(for: item.name, mayAsk: self.keychain.selection.mayAskPerson))
    try kept.readCode(into: &change)
    if let refreshTokenFd { credential.refreshToken = try refreshToken(from: refreshTokenFd) }
    change.apply(to: &credential)
    let complete = credential.copy()
    let outcome: (item: Item, isAsBefore: Bool)
    do throws(KeychainError) {
      outcome = try keychain.put(item, complete, isUpdate: update) { notes.note(on: &$0) }
    } catch .duplicateItem {
      throw alreadyThere(item.key, in: keychain)
    }
    let added = outcome.item
    open.remember()
    sayIfNoToolTakes(complete.secret, of: item)
    if !wasAsked, !output.quiet, !output.json { added.key.sayIfNameIsLeftToGit() }
    try output.write(
      open.named(added).report,
      saying: outcome.isAsBefore ? .isAsBefore(added.key.inSentence) : "stored \(added.key.inSentence)")
    if !output.quiet, !output.json { sayIfGitSendsNoPath(for: added, in: keychain) }
  }

  private func refuseTwin(of item: Item, in keychain: any KeychainStore) throws(KeychainError) {
    if let twin = try keychain.twin(of: item) { throw alreadyThere(twin.key, in: keychain) }
  }

  private func alreadyThere(_ key: Item.Key, in store: any KeychainStore) -> KeychainError {
    // A script has the new secret in its input, and runs this again.
    if Terminal.ofPerson(mayAsk: keychain.selection.mayAskPerson) == nil { return .alreadyThere(key) }
    let isAmongOthers = key.account == nil && store.hasOtherAccounts(at: key.place)
    let updating = key.words(of: "update", isAmongOthers: isAmongOthers)
    return .alreadyThere(key, hint: "give it a new secret with \(commandOf: updating + keychain.words)")
  }

  /// The user name, which git would otherwise ask for at each use, and then keep a second item with.
  private func account(askedOn terminal: borrowing Terminal) throws(KeychainError) -> String? {
    let limit = ItemBounds.attribute + 1
    guard let answer = terminal.answer(to: "User name (Enter for none): ", limit: limit) else {
      throw .failure("nothing was typed", status: .usage)
    }
    if answer.hasPart("\u{FFFD}") { throw .failure("the user name is not UTF-8", status: .usage) }
    let name = answer.withoutSpacesAround
    return name.isEmpty ? nil : name
  }

  /// Adds a source of new secrets.
  private func add(_ body: (OpenKeychain) throws(KeychainError) -> (item: Item, wasThere: Bool))
    throws(KeychainError)
  {
    let open = try keychain.open()
    if open.choice.kind.isOnServer {
      throw .failure(
        "the keychain \(open.choice.name) is on a server, and renews no such tokens",
        hint: "name a keychain of your own, such as --keychain file", status: .usage)
    }
    let (item, wasThere) = try body(open)
    if !wasThere { open.remember() }
    try output.write(
      open.named(item).report, saying: "llavero gets \(item.key.inSentence) whenever it is asked for")
  }

  /// Refuses to read something else from the secret's own descriptor.
  private func refuseSharedInput() throws(KeychainError) {
    for (descriptor, what) in [
      (refreshTokenFd, "the refresh token"), (kept.codeFd, "the secret for codes"),
    ]
    where descriptor == 0 && !StandardStreams.isTerminal(0) {
      throw .failure(
        "standard input gives the secret", hint: "give \(prose: what) on another descriptor", status: .usage)
    }
  }

  private func refreshToken(from descriptor: Int32) throws(KeychainError) -> Secret {
    let token = try SecretInput.secret(
      from: descriptor, limit: ItemBounds.refreshToken + 1, what: "refresh token")
    if token.isEmpty {
      throw .failure("no refresh token was given on descriptor \(descriptor)", status: .usage)
    }
    return token
  }
}

extension TextForTerminal {
  /// Says of an item, by its name in a sentence, that a change had nothing to do.
  static func isAsBefore(_ item: String) -> TextForTerminal {
    "nothing was changed: \(item) had that already"
  }
}
