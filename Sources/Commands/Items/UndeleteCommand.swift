import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import Renewing
import Terminals
import ToolCommands

/// `llavero undelete`
struct UndeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undelete",
    abstract: "Bring back a deleted item, or an earlier secret",
    discussion: """
      For 30 days, brings back items of the encrypted file that you deleted or that git erased because a server refused \
      them, and secrets that were replaced.

        llavero undelete --list
        llavero undelete https://github.com --list
        llavero undelete https://github.com --account alice
        llavero undelete https://github.com --account alice --entry 2
        llavero undelete --attribute application=chromium

      '--entry' goes back to an earlier secret; you can bring the present one back in turn. What a program keeps in the \
      Secret Service has no place; name its attributes, its label or its reference.
      """)

  @OptionGroup private var place: PlaceArguments
  @OptionGroup private var unplaced: UnplacedItemOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Only list what could be brought back, the latest first; without a URL, of all items")
  var list = false

  @Option(help: ArgumentHelp("Which entry of the list, instead of the latest", valueName: "n"))
  var entry: Int?

  /// Whether the items of one place, or those with some attributes, are meant.
  private var isNamed: Bool { place.isPlace || !unplaced.isEmpty }

  func validate() throws {
    try unplaced.validate(beside: place)
    if isNamed { return }
    if !list {
      throw ValidationError(
        "Name what to bring back, by a URL, --service, --attribute, --label or --reference; 'llavero undelete --list' shows all."
      )
    }
    if place.account != nil || place.domain != nil {
      throw ValidationError("--account and --domain go with a URL.")
    }
  }

  func run() throws {
    let open = try keychain.open()
    guard case .file(let vault) = open.store else {
      throw Failure(
        "only the encrypted file keeps what was deleted; the Secret Service doesn't", status: .usage)
    }
    let query = place.isPlace ? try place.named.query() : .all
    let filter = unplaced.isEmpty ? nil : unplaced.filter
    let found = try explaining(vault.retiredItems(matching: query)).filter {
      filter?.matches($0.item) ?? true
    }
    if list {
      if found.isEmpty, !output.json {
        return StandardStreams.say("nothing was deleted or replaced within 30 days")
      }
      let listing = RetiredListing(items: found, isNumbered: isNamed)
      return try StandardStreams.write(output.json ? listing.json : Secret(listing.table.shown))
    }
    let chosen = try choice(found)
    let item: Item
    do {
      item = try vault.undelete(chosen, replacing: entry != nil)
    } catch .duplicateItem {
      throw Failure(
        "\(chosen.item.name) is there already, with another secret",
        hint: "'--list' numbers its earlier secrets; '--entry N' goes back to one", status: .nothingMatched)
    } catch {
      throw Failure(error)
    }
    if output.json { return try StandardStreams.write(ItemOutput.json(item)) }
    StandardStreams.say("brought back \(item.name)")
    if chosen.reason == .deleted, item.itemDescription == SigningIn.tokenDescription {
      StandardStreams.say(
        "hint: if 'llavero logout' deleted it, the token may be revoked; 'llavero login' gets a new one")
    }
  }

  private func choice(_ found: [RetiredItem]) throws(Failure) -> RetiredItem {
    if found.isEmpty {
      let what = place.isPlace ? Item(try place.named.key()).name : "such an item"
      throw Failure(
        "nothing of \(what) was deleted or replaced within 30 days",
        hint: "see earlier states with 'llavero vault log'", status: .nothingMatched)
    }
    if let entry {
      guard 1...found.count ~= entry else {
        throw Failure(
          "there is no entry \(entry)", hint: "see which there are with '--list'", status: .nothingMatched)
      }
      return found[entry - 1]
    }
    // Git may erase and people may delete what was replaced long before. The deletion is what they want to undo.
    let deleted = found.filter { $0.reason == .deleted }
    let meant = deleted.isEmpty ? found : deleted
    // The query finds everything that would have answered, for example for a path below. Exact matches go first.
    var exact: [RetiredItem] = []
    if place.isPlace {
      for retired in meant where try place.named.names(retired.item) { exact.append(retired) }
    }
    let candidates = exact.isEmpty ? meant : exact
    let keys = Set(candidates.map(\.item.key.primaryKey))
    if keys.count > 1 {
      let names = Set(candidates.map { "\($0.item.nameForSearch)" }).sorted()
      throw Failure(
        "several items were deleted: \(names.joined(separator: ", "))",
        hint: place.isPlace
          ? "name one with --account, or by --entry as '--list' numbers them"
          : "name one by --entry, as '--list' numbers them", status: .usage)
    }
    return candidates[0]
  }
}
