import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete one item, or several",
    discussion: """
      Deletes the item of exactly that place. On a terminal you are asked first. If several accounts have an item \
      there, name the account or give --all. With --all, you can also select items by patterns of their attributes. \
      Without a terminal, or with LLAVERO_PROMPT=never, one item that you name is deleted without a question, and \
      several only with --yes. An item that a program keeps in the Secret Service has no place: name its attributes, \
      its reference, or '--class secret' and its label.

        llavero delete https://github.com --account alice
        llavero delete --attribute application=chromium
        llavero delete --all --server '*.example.com'
      """)

  @Argument(
    "A place: https://HOST[:PORT][/PATH], or just HOST for https; or a service or a label", value: "url")
  var url: String?

  @OptionGroup var attributes: PatternOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  @Flag(help: "Delete the items of all accounts of that place, or all that match the attributes")
  var all = false

  @Flag(name: .shortAndLong, help: "Don't ask")
  var yes = false

  func validate() throws {
    try attributes.validate(url: url, all: all)
  }

  func run() throws(KeychainError) {
    var selection = keychain.selection
    selection.includesOtherItems = attributes.asksForOtherItems
    let asked = attributes.selection(url: url, all: all)
    try asked.check()
    let open = try selection.chooseOrExec().open()
    let meant = MeantItem(in: open, isExact: names.exact, selection, for: yes ? .changing : .asking)
    let items: [Item]
    do throws(KeychainError) {
      items = try (all ? asked : try asked.meant(by: meant)).items(in: open.keychain, all: all)
    } catch {
      throw try output.withArray(error)
    }
    try open.refuseShared(items, what: "deletes")
    let isForAll =
      open.choice.kind.isShared && items.contains { $0.keychain == nil || $0.keychain == open.choice.name }
    let isOfService = { (item: Item) in item.keychain == nil || item.keychain == open.choice.name }
    let isFinal = open.secretService != nil && items.contains(where: isOfService)
    let areShown = yes ? false : try confirm(items, forUsersOf: isForAll ? open.choice.name : nil, isFinal)
    if open.secretService != nil, items.contains(where: { $0.key.secretServiceItem?.kind == .collection }) {
      throw .failure("llavero deletes no collections of the desktop's keyring", status: .usage)
    }
    let deleted = try delete(items, areShown: areShown, in: open.keychain)
    try output.write(deleted.map(\.report))
    // Whoever was asked nothing hears it without a terminal, too.
    let isSaid = StandardStreams.isTerminal(2) || !yes && !areShown
    if !deleted.isEmpty, isSaid, !output.quiet, !output.json { say(deleted, in: open) }
    let rest = items.count - deleted.count
    if rest > 0 {
      throw .failure(
        "another process has changed \(countText(rest, "item")) in the meantime, which "
          + "\(rest == 1 ? "was" : "were") not deleted", hint: "run this again", status: .keychain)
    }
  }

  /// Says what was deleted, how it comes back, and what answers in its place.
  private func say(_ deleted: [Item], in open: OpenKeychain) {
    StandardStreams.say("deleted \(deleted.inSentence)")
    if open.file != nil { sayWhatBringsBack(deleted) }
    sayWhatAnswersNow(deleted, in: open)
  }

  private func sayWhatBringsBack(_ deleted: [Item]) {
    // Of several, the list says which.
    let account = deleted[0].key.account.map { ["--account", "\($0)"] } ?? []
    let service = deleted[0].key.itemClass == .genericPassword ? ["--service"] : []
    let which = deleted.count == 1 && url != nil ? service + [deleted[0].key.place] + account : ["--list"]
    let undelete: Hint = "\(commandOf: ["llavero", "undelete"] + which + keychain.words)"
    StandardStreams.say(
      "hint: for 30 days, \(undelete) \(which == ["--list"] ? "shows what can be brought back" : "brings it back")"
    )
  }

  /// Says which other keychain still has a deleted login: whoever deletes one may believe that nothing gives it any more.
  private func sayWhatAnswersNow(_ deleted: [Item], in open: OpenKeychain) {
    guard deleted.count == 1, let list = open.list,
      let rest = list.itemsAtHand(with: deleted[0].key).first, let name = rest.keychain
    else { return }
    let what = rest.key.itemClass == .internetPassword ? "login" : "item"
    StandardStreams.say("\(name) still has this \(what), which answers now")
    let delete: Hint = "\(commandOf: rest.key.words(of: "delete") + ["--keychain", name])"
    StandardStreams.say("hint: \(delete) deletes that, too")
  }

  /// Deletes items. If a person was shown them, only those that haven't changed since. Returns the deleted ones.
  private func delete(
    _ items: [Item], areShown: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) -> [Item] {
    let keychain = keychain.part(with: items)
    if !areShown {
      try keychain.delete(items)
      return items
    }
    return try keychain.exclusively { () throws(KeychainError) -> [Item] in
      var same: [Item] = []
      for item in items where try keychain.isAsFound(item) { same.append(item) }
      try keychain.delete(same)
      return same
    }
  }

  /// Asks whether to delete the items. A single exact match needs no confirmation if nobody can be asked and nobody
  /// else uses it.
  ///
  /// - Parameters:
  ///   - shared: the name of the keychain, if others use it, too.
  ///   - isFinal: whether nothing brings them back.
  /// - Returns: whether somebody was shown the items, and agreed.
  private func confirm(
    _ items: [Item], forUsersOf shared: String?, _ isFinal: Bool
  ) throws(KeychainError) -> Bool {
    let what = items.count == 1 ? "this item" : "these \(items.count) items"
    let whose = shared.map { " for everyone who uses the keychain \($0)" } ?? ""
    if let isConfirmed = keychain.selection.confirms(
      "Delete \(what)\(isFinal ? " for good" : "")\(whose)?", showing: ItemOutput.tableForQuestion(items))
    {
      if !isConfirmed { throw .failure("nothing was deleted", status: .nothingMatched) }
      return true
    }
    if shared != nil || items.count > 1 || all && url == nil && attributes.service == nil {
      throw .failure(
        "\(countText(items.count, "item")) would go\(whose), and nobody can be asked",
        hint: "see which with 'llavero list', and add --yes", status: .usage)
    }
    return false
  }
}
