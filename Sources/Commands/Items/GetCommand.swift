import ArgumentParser
import Bytes
import CredentialProtocols
import Interchange
import Keychain
import KeychainChoice
import ToolCommands

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print a secret",
    discussion: """
      The answer is the one that git would get: for the account, if you name one, from the item with the longest \
      matching path, then the default, then the item that was changed last. What a program keeps in the Secret Service that is \
      no login has no place; name its attributes, its label or its reference.

        llavero get https://github.com
        llavero get https://github.com --account alice --json --secret
        llavero get https://github.com --all --json
        llavero get --attribute application=chromium
      """)

  @OptionGroup var place: PlaceArguments
  @OptionGroup var unplaced: UnplacedItemOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "With --json, print the secret too")
  var secret = false

  @Option(
    "Print this field instead of the secret: account, url, expiry, code, an attribute, or one that you have named",
    value: "name")
  var field: String?

  @Flag(
    name: .shortAndLong,
    help: "Copy it to the clipboard instead of printing it; a desktop's is emptied after 45 seconds")
  var copy = false

  @Flag(help: "Show it on the terminal as a QR code, for a phone")
  var qr = false

  @Flag(help: "With --json, print all that match, of every keychain, in the order in which they would answer")
  var all = false

  func validate() throws {
    try unplaced.validate(beside: place)
    if !place.isPlace, unplaced.isEmpty { throw ValidationError.noPlace }
    if secret, !output.json {
      throw ValidationError("--secret goes with --json; without either, only the secret is printed.")
    }
    if copy, output.json { throw ValidationError("--copy and --json don't go together.") }
    if qr, output.json || copy { throw ValidationError("--qr goes with neither --json nor --copy.") }
    if field != nil, output.json { throw ValidationError("--field and --json don't go together.") }
    if all, !output.json || !unplaced.isEmpty { throw ValidationError("--all goes with --json and a place.") }
  }

  func run() throws(KeychainError) {
    if copy { try Clipboard.check() }
    if qr { try QRCode.check() }
    guard unplaced.isEmpty else { return try getUnplaced() }
    try place.named.check()
    let selection = keychain.selection
    let open = try keychain.open()
    let keychain = open.keychain
    let meant = MeantItem(in: open, isExact: names.exact, selection, for: all ? .listing : .reading)
    let found = try meant.found(place.named)
    if found == nil, !place.named.isPlace, try writeLabelled(open) { return }
    let named = if let found { found } else { try meant.placeOfItsOwn(place.named) }
    let query = try named.query()
    if all { return try writeAll(named, open) }
    if let answer = try open.answer(to: named) {
      sayWhose(answer.item, askedBy: query, in: keychain)
      return try write(answer.item, answer.credential)
    }
    var (asked, items) = (query, try keychain.find(query))
    if items.isEmpty, case .place = named, let other = open.underNameForAll(query) {
      (asked, items) = (other, try keychain.find(other))
    }
    guard let item = items.first(where: named.includes) else {
      if try writeLabelled(open) { return }
      throw try named.nothingMatches(in: keychain, isWanted: true)
    }
    // It may have come since then, or got another secret.
    let late = try keychain.heldAnswer(
      to: asked, at: .now, where: { item, _ in !item.isHidden && named.includes(item) })
    if let answer = late { return try write(answer.item, answer.credential) }
    if field != nil || output.json, let answer = try open.withoutPassword(asked, where: named.includes) {
      return try write(answer.item, answer.credential)
    }
    throw whyNot(item, open)
  }

  /// Tells a person whose secret this is, where other accounts of that place have one, too, or where the item has no path
  /// and one was named, which may be an account by mistake.
  private func sayWhose(_ item: Item, askedBy query: ItemQuery, in keychain: any KeychainStore) {
    guard StandardStreams.isTerminal(2), !output.json, !copy, field == nil else { return }
    let others = ((try? keychain.find(query)) ?? []).filter {
      !$0.isHidden && $0.key.place == item.key.place && $0.key.account != item.key.account
    }
    if others.isEmpty {
      guard case .internetPassword(let asked) = query, asked.path != nil, item[.path] == nil else { return }
      return StandardStreams.say("'\(place.url ?? "")' is taken for \(item.key.inSentence)")
    }
    func changed(_ item: Item) -> Int64 { item.modificationDate?.milliseconds ?? 0 }
    let isLast = others.allSatisfy { changed($0) <= changed(item) }
    let why = item.isDefault ? ", the default" : isLast ? ", changed last" : ""
    let names = Set(others.map { $0.key.account.nonEmpty.map { "\($0)'s" } ?? "one without a user name" })
    StandardStreams.say(
      "this is \(item.key.inSentence)\(why); there \(names.count == 1 ? "is" : "are") also \(names.sorted().fewInSentence)"
    )
  }

  private func writeAll(_ named: Meant, _ open: OpenKeychain) throws(KeychainError) {
    let keychain = open.keychain
    let items = try named.items(in: open)
    if items.isEmpty { throw try output.withArray(try named.nothingMatches(in: keychain)) }
    if !secret { return try output.write(items.map(\.report)) }
    var json = JSONWriter()
    json.beginArray()
    for item in items {
      guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
      ItemOutput.object(of: item, credential, in: &json)
    }
    json.endArray()
    try StandardStreams.write(json.finishLine())
  }

  private func getUnplaced() throws(KeychainError) {
    var selection = keychain.selection
    selection.includesOtherItems = true
    let open = try selection.chooseOrExec().open()
    let keychain = open.keychain
    let item = try unplaced.filter.single(in: keychain)
    let credential = try keychain.credential(of: item)
    if credential.isExpired(at: .now) { throw hasExpired(item, open) }
    try write(item, credential)
  }

  /// Writes the only item that is no login and has the text as its label, as with `--label`, or for a person as a part
  /// of it; `false` if there is none.
  private func writeLabelled(_ open: OpenKeychain) throws(KeychainError) -> Bool {
    // The labels in a keychain of others are anybody's, and a script that names a host never means a label.
    guard let label = place.url.map({ ByteString($0) }), place.account == nil, place.domain == nil,
      !open.choice.kind.isShared, !open.choice.kind.isOfOtherMachine, !label.isAddressOfServer
    else { return false }
    var keychain = open.own
    if open.secretService != nil {
      var selection = self.keychain.selection
      selection.includesOtherItems = true
      keychain = try selection.chooseOrExec().open().own
    }
    var criteria = ItemCriteria()
    criteria.itemClass = .secretServiceItem
    criteria[.label] = label
    criteria.omitsLocked = true
    let found = try keychain.items(matching: .criteria(criteria))
    if found.count > 1 { throw ItemFilter.several(found) }
    let part = found.isEmpty ? try labelled(byPart: "\(label)", in: keychain) : nil
    guard let item = found.first ?? part else { return false }
    // A part of the keychain that can't be used may have another one.
    try open.keychain.refusePassingOver()
    let credential = try keychain.credential(of: item)
    if credential.isExpired(at: .now) { throw hasExpired(item, open) }
    try write(item, credential)
    return true
  }

  /// The item that is no login and has a part of its label, for a person, who chooses one of several; `nil` if there is
  /// none.
  private func labelled(byPart part: String, in keychain: any KeychainStore) throws(KeychainError) -> Item? {
    guard !names.exact, self.keychain.selection.mayGuess, let terminal = Terminal.ofPerson(mayAsk: true)
    else { return nil }
    var criteria = ItemCriteria()
    criteria.itemClass = .secretServiceItem
    criteria.omitsLocked = true
    let found = try keychain.items(matching: .criteria(criteria)).filter {
      $0.key.secretServiceItem?.kind != .collection && $0.isTaken(byPart: part)
    }
    if found.count > 1 { return try MeantItem.chosen(among: found, on: terminal) }
    if let item = found.first { StandardStreams.say("'\(part)' is taken for \(item.name)") }
    return found.first
  }

  private func write(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) {
    if let field {
      let answer = Answer(item: item, credential: credential.copy())
      let named = ReferencedField(named: ByteString(field))
      guard case .some(let value) = named.value(of: answer, code: { $0.codeOfThisMoment() }) else {
        let hint: Hint =
          if let meant = Self.meantField(field, of: item) { "did you mean \(prose: meant)?" } else {
            "see what it has with --json, and with --json --secret"
          }
        throw .failure("\(item.name) has no \(field)", hint: hint, status: .nothingMatched)
      }
      try give(value, "\(field) of \(item.key.inSentence)")
    } else if secret {
      try StandardStreams.write(ItemOutput.json(item, credential))
    } else if output.json {
      try output.write(item.report)
    } else {
      try give(credential.secret, Self.secret(of: item.key))
    }
  }

  /// The secret in a sentence. That of a generic password is what the item is called.
  private static func secret(of key: Item.Key) -> String {
    if case .genericPassword = key { return key.inSentence }
    return "the secret of \(key.inSentence)"
  }

  /// The field that somebody probably means who uses another program's word for it, or has mistyped it.
  private static func meantField(_ name: String, of item: Item) -> String? {
    if let meant = fieldCalled(name.lowercased()) { return meant }
    // What others call so is an attribute beside the comment here.
    if name.lowercased() == "description", item.comment != nil { return "comment" }
    let known = ["account", "url", "expiry", "code"] + Item.Attribute.all.map { "\($0.jsonName)" }
    return known.contains(name) ? nil : known.closest(to: name)
  }

  /// The field that other programs, and imports, call so.
  private static func fieldCalled(_ name: String) -> String? {
    switch name {
    case "username", "user", "login": "account"
    case "notes", "note": "comment"
    case "title", "name": "label"
    case "uri", "website": "url"
    case "otp", "totp": "code"
    case "expires": "expiry"
    default: nil
    }
  }

  private func give(_ value: borrowing Secret, _ what: @autoclosure () -> String) throws(KeychainError) {
    if copy { return try Clipboard.copy(value, what()) }
    if qr { return try QRCode.show(value) }
    try StandardStreams.write(line: value)
  }

  private func whyNot(_ item: Item, _ open: OpenKeychain) -> KeychainError {
    if let hidden = HiddenLogin(item) { return hidden.failure }
    if let credential = try? open.keychain.credential(of: item), credential.hasNoPassword {
      return Self.hasNoPassword(item)
    }
    return hasExpired(item, open)
  }

  private static func hasNoPassword(_ item: Item) -> KeychainError {
    KeychainError(
      "there is no password for \(item.name), only one-time codes or hidden fields",
      hint:
        "'llavero code' gives a one-time code, 'llavero get --field' a field, and 'llavero update' adds a password",
      status: .nothingMatched)
  }

  private func hasExpired(_ item: Item, _ open: OpenKeychain) -> KeychainError {
    open.endIfRenewalExplained()
    return .failure(
      "the secret for \(item.name) has expired", hint: item.remedyForExpiry,
      status: open.statusWithoutToken)
  }
}

extension OpenKeychain {
  /// The item that answers if one without a password may, for information beside a password.
  func withoutPassword(
    _ query: ItemQuery, where isMeant: (Item) -> Bool = { _ in true }
  ) throws(KeychainError) -> Answer? {
    for item in try find(query) where !item.isHidden && isMeant(item) {
      guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
      if credential.hasNoPassword { return Answer(item: item, credential: credential) }
    }
    return nil
  }
}

extension Item {
  /// The remedy for an expired secret, if the renewal has said nothing; `nil` if none is known.
  var remedyForExpiry: Hint? {
    let isToken = itemDescription == SigningIn.tokenDescription
    guard isToken || isMinted else { return "log in again, or run 'llavero update'" }
    if NetworkCompanion() == nil { return "\(prose: NetworkCompanion.remedy)" }
    // Another process has just said why there is no other token.
    guard isToken, case .internetPassword(let key) = key, let url = key.url() else { return nil }
    return "\(command: "llavero", "login", url)"
  }
}
