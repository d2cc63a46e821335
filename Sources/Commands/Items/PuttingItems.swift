import Bytes
import Keychain
import ToolCommands

extension KeychainStore {
  /// A different item with the same primary key in the same keychain. An item that is only in a copy beside an
  /// encrypted file doesn't count: the new one is merged with it later.
  func twin(of item: Item) throws(KeychainError) -> Item? { try twins(of: item).first }

  private func twins(of item: Item) throws(KeychainError) -> [Item] {
    let primaryKey = item.key.primaryKey
    let found: [Item]
    do throws(KeychainError) {
      found = try items(matching: .criteria(ItemCriteria(item.key)))
    } catch .copyLeftOut {
      return []
    }
    return found.filter {
      $0.key.primaryKey == primaryKey && (item.reference == nil || $0.reference != item.reference)
        && (item.keychain == nil || $0.keychain == item.keychain)
    }
  }

  /// The current state of an item that was found before.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if it is gone, or has another key now.
  func present(_ item: Item) throws(KeychainError) -> Item {
    let found = try items(matching: .criteria(ItemCriteria(item.key)))
    guard let item = found.first(where: { $0.reference == item.reference }) else { throw .itemNotFound }
    return item
  }

  func isAsFound(_ item: Item) throws(KeychainError) -> Bool {
    do throws(KeychainError) {
      return try present(item) == item
    } catch .itemNotFound {
      return false
    }
  }

  /// Adds an item or, if `isUpdate` is set, changes the secret of the item with its primary key, and the notes that
  /// `note` sets.
  ///
  /// - Returns: the item, and whether it was there already with all of that, so that nothing was written.
  /// - Throws: ``KeychainError/duplicateItem`` if such an item exists and `isUpdate` is not set; a failure if several
  ///   exist, and it is.
  func put(
    _ item: Item, _ credential: borrowing Credential, isUpdate: Bool, note: (inout Item) -> Void
  ) throws(KeychainError) -> (item: Item, isAsBefore: Bool) {
    // Any of several keychains may have it. Nobody waits while servers are asked.
    let known = isUpdate ? try twin(of: item) : nil
    let own = part(with: known.map { [$0] } ?? [])
    return try own.exclusively { () throws(KeychainError) -> (item: Item, isAsBefore: Bool) in
      let twins = isUpdate ? try own.twins(of: item).withoutShadowed : []
      guard let twin = twins.first else { return (try own.add(item, credential), false) }
      if twins.count > 1 { throw NamedPlace.severalToUpdate(twins) }
      var noted = twin
      note(&noted)
      let changed = try own.changeIfDifferent(twin, to: noted, credential.copy())
      return (changed ?? twin, changed == nil)
    }
  }
}

/// Warns that git and most tools can't get a secret with line ends or NUL, because their protocols are lines of text.
/// It is kept nevertheless: `llavero get` and `llavero run` can give it to anyone.
func sayIfNoToolTakes(_ secret: borrowing Secret, of item: Item) {
  guard case .internetPassword = item.key else { return }
  let hasBreak = secret.withUnsafeBytes { $0.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 } }
  if hasBreak {
    StandardStreams.say(
      "note: the secret has a line break or a NUL byte in it, so git and most tools can't take it")
  }
}

/// Tells a person if git sends no path there, so that a login without one answers in place of this item.
func sayIfGitSendsNoPath(for item: Item, in keychain: any KeychainStore) {
  guard StandardStreams.isTerminal(2), item.key.isForGit, case .internetPassword(let place) = item.key,
    place.path != nil, GitSettings.isInstalled, case let settings = GitSettings.forPlace(place),
    !settings.usesPath, settings.account == nil
  else { return }
  var server = place
  (server.path, server.account) = (nil, nil)
  guard let query = try? ItemQuery(for: .internetPassword(server)), let found = try? keychain.find(query),
    let other = found.first(where: { $0[.path] == nil && $0[.securityDomain] == nil })
  else { return }
  let words = ["git", "config", "--global", "credential.\(server.readableURL).useHttpPath", "true"]
  let sending: Hint = "\(commandOf: words)"
  StandardStreams.say(
    "hint: git sends no path there, so it gets \(other.key.inSentence); \(terminalText(sending.description)) "
      + "changes that")
}

extension NamedPlace {
  /// Refuses a mistyped host, for which no program asks.
  ///
  /// - Throws: ``KeychainError`` if the host has white space or control characters, which a URL can't have (RFC 3986, section
  ///   3.2.2).
  func refuseImpossibleHost(_ key: Item.Key, in command: String) throws(KeychainError) {
    guard case .internetPassword(let place) = key, let server = place.server,
      server.bytes.contains(where: { $0 <= 0x20 || $0 == 0x7f })
    else { return }
    let isAddress = url?.hasPart("//") ?? true
    throw .failure(
      "'\(server)' is not the name of a host: it has white space or control characters in it",
      hint: isAddress ? "see what a URL looks like with 'llavero add --help'" : withoutURL(command),
      status: .usage)
  }

  /// Says that a name without a dot was taken as a host: it may be meant as a service.
  func sayIfTakenAsHost(_ key: Item.Key, in command: String) {
    guard let url, case .internetPassword(let place) = key, let server = place.server, place.port == nil,
      !url.hasPart("//"), !url.utf8.contains(UInt8(ascii: "@")), domain == nil,
      !server.bytes.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }),
      server.lowercased != "localhost"
    else { return }
    let instead = withoutURL(command)
    StandardStreams.say("taken as \(key.place); \(terminalText(instead.description))")
  }

  private func withoutURL(_ command: String) -> Hint {
    "for a secret without a URL: \(command: "llavero", command, "--service", url ?? "NAME")"
  }
}

extension KeychainStore {
  /// Whether an item of a place has an account.
  func hasOtherAccounts(at place: String) -> Bool {
    (try? items(matching: .all))?.contains { $0.key.account != nil && $0.key.place == place } ?? false
  }
}

extension Item.Key {
  /// Whether git asks for the user name although it gets the secret, because there is none beside it.
  var leavesNameToGit: Bool { account == nil && isForGit }

  func sayIfNameIsLeftToGit() {
    if !leavesNameToGit { return }
    StandardStreams.say(
      "note: it has no user name, so git will ask for one each time; --account would name one")
  }

  /// Whether it is a login by HTTP for git and people, and for no other tool.
  var isForGit: Bool {
    guard case .internetPassword(let key) = self, key.securityDomain == nil else { return false }
    return key.server?.isEmpty == false && ["https", "http"].contains(key.protocol.lowercased)
  }

  /// A command of llavero for just this item: `llavero update https://github.com --account alice`.
  ///
  /// - Parameter isAmongOthers: whether its place has items of other accounts.
  func words(of command: String, isAmongOthers: Bool = false) -> [String] {
    var words = ["llavero", command]
    if case .genericPassword = self { words.append("--service") }
    words.append(place)
    if account != nil || isAmongOthers { words += ["--account", "\(account ?? "")"] }
    if case .internetPassword(let key) = self, let type = key.authenticationType {
      words += ["--authentication-type", "\(type)"]
    }
    return words
  }
}

extension KeychainError {
  /// The failure to add an item with a key that an item has.
  static func alreadyThere(
    _ key: Item.Key, hint: Hint = "add --update to give it a new secret"
  ) -> KeychainError {
    KeychainError(
      "the keychain has \(key.inSentence) already; nothing was changed", hint: hint, status: .nothingMatched)
  }

  static func taken(_ key: Item.Key) -> KeychainError {
    KeychainError(
      "there is another item already: \(key.name); nothing was changed",
      hint: "delete that one first, or see it with 'llavero list'", status: .nothingMatched)
  }
}
