import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import ToolCommands

struct UndeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undelete",
    abstract: "Bring back a deleted item, or an earlier secret",
    discussion: """
      Brings back deleted items and replaced secrets of the encrypted file, for 30 days. That includes logins that \
      git erased because a server refused them. In OpenBao or Vault, which you name with --keychain, the server \
      usually keeps the last ten versions of an item, for everybody.

        llavero undelete --list
        llavero undelete https://github.com --list
        llavero undelete https://github.com --account alice
        llavero undelete https://github.com --account alice --entry 2
        llavero undelete --attribute application=chromium
        llavero undelete https://git.example.com --account ci --keychain fleet

      Without '--entry', a deleted item goes before an earlier secret, and an item at exactly that URL before one \
      below it. '--entry' goes back to an earlier secret; you can bring the present one back in turn. Items that other \
      programs keep in the Secret Service have no place: name their attributes, label or reference. On a terminal, part \
      of a name is enough.
      """)

  @OptionGroup private var place: PlaceArguments
  @OptionGroup private var unplaced: UnplacedItemOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var dates: DateOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Only list the items that can be brought back, the latest first; without a URL, all of them")
  var list = false

  @Option(
    "Which entry of the list; without it, the item that was deleted last. An earlier secret of an item that is there needs it",
    value: "n")
  var entry: Int?

  /// Whether the items of one place, or those with some attributes, are meant.
  private var isNamed: Bool { place.isPlace || !unplaced.isEmpty }

  func validate() throws {
    try unplaced.validate(beside: place)
    if isNamed { return }
    if !list {
      throw ValidationError(
        "Name a place, a service or a label, or give --attribute or --reference; 'llavero undelete --list' shows all."
      )
    }
    if place.account != nil || place.domain != nil {
      throw ValidationError("--account and --domain go with a URL.")
    }
  }

  func run() throws(KeychainError) {
    if place.isPlace { try place.named.check() }
    let selection = keychain.selection
    let open = try keychain.open()
    let period = open.choice.kind.isOnServer ? "in the versions that the server still has" : "within 30 days"
    let filter = unplaced.isEmpty ? nil : unplaced.filter
    let kind = open.choice.kind
    let meant = try MeantRetired(
      place.isPlace ? place.named : nil, mayGuess: !names.exact && selection.mayGuess,
      hasOwnLabels: !kind.isShared && !kind.isOfOtherMachine
    ) {
      (query) throws(KeychainError) in try open.retired(query)
    }
    let found = meant.items.filter { filter?.matches($0.item) ?? true }
    // A part of the keychain that can't be used may have another one of that name.
    if found.isEmpty || place.isPlace && meant.place == nil { try open.keychain.refusePassingOver() }
    if found.isEmpty {
      if open.file == nil, !(open.own is any VersionedKeychain) { throw Self.isNotKept }
    }
    let hasKeychains = (open.list?.names.count ?? 0) > 1
    if list {
      if found.isEmpty, isNamed { throw try output.withArray(try nothingFound(within: period, in: open)) }
      if found.isEmpty, !output.json {
        StandardStreams.say("nothing was deleted or replaced \(period)")
        return
      }
      let listing = RetiredListing(items: found, isNumbered: isNamed, hasKeychains: hasKeychains)
      return try output.write(listing.report, or: listing.table(inUTC: dates.utc))
    }
    let chosen = try choice(found, meant.place, within: period, in: open)
    if meant.isPart, selection.confirms("Bring back \(chosen.item.key.inSentence)?") != true {
      throw .failure("nothing was brought back", status: .nothingMatched)
    }
    let item: Item
    do throws(KeychainError) {
      item = try chosen.bringBack(entry != nil)
    } catch .duplicateItem {
      throw .failure(
        "\(chosen.item.name) is there already, with another secret or one-time code",
        hint: "\(numbering) numbers its earlier secrets; '--entry N' goes back to one",
        status: .nothingMatched)
    }
    if output.json { return try output.write(item.report) }
    let whose = hasKeychains ? item.keychain.map { " in \($0)" } : nil
    let name = item.key.secretServiceItem == nil ? item.key.name : "\(item.nameForSearch)"
    StandardStreams.say("brought back \(name)\(whose ?? "")")
    if chosen.reason == .deleted, item.itemDescription == SigningIn.tokenDescription {
      StandardStreams.say(
        "hint: if 'llavero logout' deleted it, the token may be revoked; 'llavero login' gets a new one")
    }
  }

  /// The command that shows the numbers for `--entry`, which count what this command names.
  private var numbering: Hint {
    let options: [(String, String?)] = [
      ("--service", place.service), ("--account", place.account), ("--domain", place.domain),
      ("--label", unplaced.label), ("--reference", unplaced.marks.reference),
    ]
    var words = ["llavero", "undelete"] + (place.url.map { [$0] } ?? [])
    for (option, value) in options { words += value.map { [option, $0] } ?? [] }
    for attribute in unplaced.marks.attribute { words += ["--attribute", attribute] }
    if names.exact { words.append("--exact") }
    words.append("--list")
    return "\(commandOf: words + keychain.words)"
  }

  /// How to find an item's secrets from before it was renamed.
  private var underFormerName: Hint {
    """
    if the item was renamed, look under its former name; \
    \(commandOf: ["llavero", "undelete", "--list"] + keychain.words) shows all
    """
  }

  private static let isNotKept = KeychainError(
    "only the encrypted file keeps deleted items; the Secret Service doesn't",
    hint: "store it again with 'llavero add'", status: .keychain)

  private func nothingFound(within period: String, in open: OpenKeychain) throws(KeychainError)
    -> KeychainError
  {
    let elsewhere: Hint = open.list == nil ? "" : "; name another keychain of the list with --keychain"
    let hint: Hint =
      open.choice.kind.isOnServer
      ? "the server's operator may have a backup of it"
      : "\(underFormerName); or see earlier states with 'llavero vault log'\(elsewhere)"
    let named = place.named
    let what =
      place.isPlace && !named.isName && named.isPlace
      ? Item(try named.key()).name : named.url.map { "'\($0)'" } ?? "such an item"
    return .failure(
      "nothing of \(what) was deleted or replaced \(period)", hint: hint, status: .nothingMatched)
  }

  private func choice(
    _ found: [Retired], _ place: NamedPlace?, within period: String, in open: OpenKeychain
  ) throws(KeychainError) -> Retired {
    if found.isEmpty { throw try nothingFound(within: period, in: open) }
    if let entry {
      guard 1...found.count ~= entry else {
        throw .failure(
          "there is no entry \(entry)", hint: "see which there are with \(numbering)",
          status: .nothingMatched)
      }
      return found[entry - 1]
    }
    // Git may erase and people may delete a secret long after its replacement. They want to undo the deletion.
    let deleted = found.filter { $0.reason == .deleted }
    let meant = deleted.isEmpty ? found : deleted
    // The query finds everything that would have answered, for example for a path below. Exact matches go first.
    var exact: [Retired] = []
    if let place {
      for retired in meant where try place.names(retired.item) { exact.append(retired) }
    }
    let candidates = exact.isEmpty ? meant : exact
    let keys = Set(candidates.map(\.item.key.primaryKey))
    if keys.count > 1 {
      let names = Set(candidates.map { "\($0.item.nameForSearch)" }).sorted()
      throw .failure(
        "several items \(deleted.isEmpty ? "have earlier secrets" : "were deleted"): \(names.joined(separator: ", "))",
        hint: place != nil
          ? "name one with --account, or by --entry as \(numbering) numbers them"
          : "name one by --entry, as \(numbering) numbers them", status: .usage)
    }
    let having = Set(candidates.compactMap(\.item.keychain))
    if having.count > 1 {
      let keychains = open.list?.names.filter(having.contains) ?? []
      throw .failure(
        "several keychains had \(candidates[0].item.nameForSearch): \(keychains.joined(separator: ", "))",
        hint: "name one with --keychain, or by --entry as \(numbering) numbers them", status: .usage)
    }
    return candidates[0]
  }
}
