import ArgumentParser
import Bytes
import CredentialProtocols
import Forwarding
import Keychain
import KeychainChoice
import ToolCommands

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your items, without their secrets",
    discussion: """
      Lists all items, or only those that match the attributes you give, or those of a place: of a URL's server, \
      protocol, port and account, and if it has a path, of that path and the paths above and below it. The exit status \
      is 1 if no item matches.

        llavero list --server '*.example.com' --domain ''
        llavero list github.com --format '{account}\\t{path}'
        llavero list --expiring 7d
        llavero list --json | jq -r '.[].server'

      Generic passwords come first, by service, then internet passwords by server. A format names attributes: \
      \(OutputFormat.names.map { "{\($0)}" }.joined(separator: ", ")); \\t is a tab, \\n a line feed, \\0 a NUL. \
      --json prints an array of objects with the attributes of each item.
      """)

  @Argument(
    "A place: https://HOST[:PORT][/PATH], or just HOST for any protocol; or a label, a service, or on a terminal part of these, of an account or of a remark",
    value: "url")
  var url: String?

  @OptionGroup(title: "Attributes") var attributes: PatternOptions

  @Option(
    "Only items that expire within this time, such as 7d, or have expired; soonest first", value: "time")
  var expiring: String?

  @Option("Print this for each item", value: "text")
  var format: String?

  @OptionGroup var dates: DateOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if expiring != nil, format != nil { throw ValidationError("Either --expiring or --format.") }
    if format != nil, output.json { throw ValidationError("Either --format or --json.") }
    if url?.hasPart("://") == true,
      attributes.service != nil || (attributes.itemClass ?? .internetPassword) != .internetPassword
    {
      throw ValidationError("Generic passwords have no URL.")
    }
  }

  func run() throws(KeychainError) {
    let form: ItemPrinter.Form =
      if let format { .format(try OutputFormat(format)) } else { output.json ? .json : .table }
    let place = try url.map { (url) throws(KeychainError) in try PlaceFilter(url) }
    let filter = attributes.isEmpty ? nil : attributes.filter
    var selection = keychain.selection
    selection.includesOtherItems = attributes.asksForOtherItems
    if expiring != nil { selection.readsSecrets = true }
    let keychain = try selection.chooseOrExec().open()
    if let expiring { return try listExpiring(expiring, in: keychain, filter, place) }
    var printer = ItemPrinter(form, inUTC: dates.utc, hasKeychains: (keychain.list?.names.count ?? 0) > 1)
    let meanings = place?.meanings(includingParts: takesParts) ?? []
    var listed = ListedItems(meanings)
    var others = 0
    try print(keychain, &printer) { (item) throws(KeychainError) in
      if let filter, try !filter.matches(item, in: keychain.keychain) { return false }
      if isListed(item) { return listed.takes(item) }
      let isMeant = meanings.isEmpty || meanings.contains { $0.contains(item) }
      if isMeant, item.key.itemClass == .secretServiceItem { others += 1 }
      return false
    }
    for item in listed.rest { try printer.print(item) }
    // Who names an item means it, whoever keeps it there. A URL names only logins.
    if printer.count == 0, meanings.count > 1, !attributes.asksForOtherItems {
      try printOthers(keychain, meanings, filter, &printer)
      if printer.count > 0 { others = 0 }
    }
    if printer.count == 0, filter != nil || place != nil {
      try keychain.keychain.refusePassingOver()
      if others > 0 {
        throw try output.withArray(
          .failure(
            "no matching items", hint: "see those of other programs with \(commandOf: ofOthers)",
            status: .nothingMatched))
      }
      let isPattern = url.map { $0.utf8.contains { "*?[".utf8.contains($0) } } ?? false
      let hint: Hint =
        isPattern ? "patterns go with --server, --service or --label" : "see all with 'llavero list'"
      throw try output.withArray(.failure("no matching items", hint: hint, status: .nothingMatched))
    }
    try printer.end()
    printer.sayWhatIsLeftOut(isWhole: filter == nil && place == nil, newItemsIn: keychain.choice.name)
    guard case .table = form else { return }
    if filter == nil, place == nil { others += othersOfService(keychain, besides: printer.count) }
    if others > 0, StandardStreams.isTerminal(2) {
      let more = printer.count == 0 ? countText(others, "item") : "\(others) more"
      let command: Hint = "\(commandOf: ofOthers)"
      StandardStreams.say("\(more) of other programs: \(command)")
    } else if printer.count == 0, others == 0 {
      let isForwarded = keychain.list == nil && keychain.choice.kind.isOfOtherMachine
      StandardStreams.say(
        !isForwarded
          ? "the keychain has no items yet"
          : keychain.forwarded?.isOfSandbox == true
            ? "nothing that may be listed is allowed here" : "nothing is allowed here without a question")
    }
  }

  /// Prints what other programs keep under such a name.
  private func printOthers(
    _ open: OpenKeychain, _ meanings: [PlaceFilter], _ filter: ItemFilter?, _ printer: inout ItemPrinter
  ) throws(KeychainError) {
    var keychain = open
    if open.secretService != nil {
      var selection = self.keychain.selection
      selection.includesOtherItems = true
      keychain = try selection.chooseOrExec().open()
    }
    let store = keychain.keychain
    var listed = ListedItems(meanings)
    try print(keychain, &printer) { (item) throws(KeychainError) in
      guard let other = item.key.secretServiceItem, other.kind != .collection else { return false }
      if let filter, try !filter.matches(item, in: store) { return false }
      return listed.takes(item)
    }
    for item in listed.rest { try printer.print(item) }
  }

  /// What lists the items of other programs.
  private var ofOthers: [String] { ["llavero", "list", "--class", "secret"] + keychain.words }

  /// Whether the item is listed in any keychain: what other programs keep is, if somebody asks for such items.
  private func isListed(_ item: Item) -> Bool {
    attributes.asksForOtherItems || item.key.secretServiceItem == nil
  }

  /// How many items of other programs the desktop's keyring has besides the listed ones, for a person.
  private func othersOfService(_ open: OpenKeychain, besides count: Int) -> Int {
    if attributes.asksForOtherItems || open.secretService == nil || open.list != nil { return 0 }
    if !StandardStreams.isTerminal(2) { return 0 }
    var selection = keychain.selection
    selection.includesOtherItems = true
    guard let all = try? selection.chooseOrExec().open().own.items(matching: .all) else { return 0 }
    return max(0, all.count { $0.key.secretServiceItem?.kind != .collection } - count)
  }

  /// Whether a part of a name is enough: for a person, who sees what is listed.
  private var takesParts: Bool { !names.exact && StandardStreams.isTerminal(1) }

  private func print(
    _ keychain: OpenKeychain, _ printer: inout ItemPrinter,
    where isListed: (Item) throws(KeychainError) -> Bool
  ) throws(KeychainError) {
    var failure: KeychainError?
    try keychain.forEachItem { item in
      do throws(KeychainError) {
        if try isListed(item) { try printer.print(item) }
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
  }

  private func listExpiring(
    _ time: String, in keychain: OpenKeychain, _ filter: ItemFilter?, _ place: PlaceFilter?
  ) throws(KeychainError) {
    let now = Timestamp.now
    guard let limit = try ExpiryText.expiry(time, at: now) else {
      throw .failure("--expiring takes a time; items that never expire are in the whole list", status: .usage)
    }
    let all = try keychain.keychain.items(matching: .all)
    let items = (try filter?.matching(all, in: keychain.keychain) ?? all).filter(isListed)
    let meanings = place?.meanings(includingParts: takesParts).map(Optional.some) ?? [nil]
    var listing = ExpiringListing()
    for meaning in meanings where listing.isEmpty {
      listing = try ExpiringListing(
        of: items.filter { meaning?.contains($0) ?? true }, in: keychain, by: limit)
    }
    if listing.isEmpty {
      try keychain.keychain.refusePassingOver()
      throw try output.withArray(.failure("nothing expires by then", status: .nothingMatched))
    }
    try output.write(listing.report, or: listing.table(at: now, inUTC: dates.utc))
  }
}
