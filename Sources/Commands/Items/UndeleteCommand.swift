import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import Renewing
import Terminals
import ToolCommands

/// `llavero undelete`
struct UndeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undelete",
    abstract: "Bring back a deleted item, or an earlier secret",
    discussion: """
      For 30 days, brings back items of the encrypted file that you deleted or that git erased because a server \
      refused them, and secrets that were replaced. A keychain in OpenBao or Vault, named with --keychain, has what \
      its server keeps: usually the last ten versions of an item, for everybody.

        llavero undelete --list
        llavero undelete https://github.com --list
        llavero undelete https://github.com --account alice
        llavero undelete https://github.com --account alice --entry 2
        llavero undelete --attribute application=chromium
        llavero undelete https://git.example.com --account ci --keychain fleet

      '--entry' goes back to an earlier secret; you can bring the present one back in turn. What a program keeps in \
      the Secret Service has no place; name its attributes, its label or its reference.
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
    switch open.store {
    case .file(let vault):
      try run(
        { (query) throws(KeychainError) in
          try vault.retiredItems(matching: query).map { former in
            Retired(item: former.item, retired: former.retired, reason: former.reason) {
              (replacing) throws(KeychainError) in try vault.undelete(former, replacing: replacing)
            }
          }
        },
        in: open, within: "within 30 days",
        hint: open.list == nil
          ? "see earlier states with 'llavero vault log'"
          : "see earlier states with 'llavero vault log'; name another keychain of the list with --keychain")
    case .remote(let keychain):
      guard let keychain = keychain as? any VersionedKeychain else { throw Self.isNotKept }
      try run(
        { (query) throws(KeychainError) in
          try keychain.formerVersions(matching: query).map { former in
            let reason = former.isDeleted ? RetirementReason.deleted : .replaced
            return Retired(item: former.item, retired: former.retired, reason: reason) {
              (replacing) throws(KeychainError) in try keychain.bringBack(former, replacing: replacing)
            }
          }
        },
        in: open, within: "in the versions that the server still has",
        hint: "whoever runs the server may have a backup of it")
    case .secretService, .forwarded: throw Self.isNotKept
    }
  }

  private static let isNotKept = Failure(
    "only the encrypted file keeps what was deleted; the Secret Service doesn't",
    hint: "with --keychain, name an encrypted file, or a keychain in OpenBao", status: .usage)

  /// Lists or brings back what a keychain still has.
  ///
  /// - Parameters:
  ///   - find: finds what answers a query, the latest first.
  ///   - open: the keychain.
  ///   - period: since when, or in what, it still has it, in words.
  ///   - hint: what to do if there is nothing.
  private func run(
    _ find: (ItemQuery) throws(KeychainError) -> [Retired], in open: OpenKeychain, within period: String,
    hint: Hint
  ) throws(Failure) {
    let query = place.isPlace ? try place.named.query() : .all
    let filter = unplaced.isEmpty ? nil : unplaced.filter
    let found = try explaining(find(query)).filter { filter?.matches($0.item) ?? true }
    if list {
      if found.isEmpty, !output.json {
        return StandardStreams.say("nothing was deleted or replaced \(period)")
      }
      let listing = RetiredListing(items: found, isNumbered: isNamed)
      return try StandardStreams.write(output.json ? listing.json : Secret(listing.table.shown))
    }
    let chosen = try choice(found, within: period, hint: hint)
    let item: Item
    do throws(KeychainError) {
      item = try chosen.bringBack(entry != nil)
    } catch .duplicateItem {
      throw Failure(
        "\(chosen.item.name) is there already, with another secret",
        hint: "'--list' numbers its earlier secrets; '--entry N' goes back to one", status: .nothingMatched)
    } catch {
      throw Failure(error)
    }
    if output.json { return try StandardStreams.write(ItemOutput.json(open.named(item))) }
    StandardStreams.say("brought back \(item.name)")
    if chosen.reason == .deleted, item.itemDescription == SigningIn.tokenDescription {
      StandardStreams.say(
        "hint: if 'llavero logout' deleted it, the token may be revoked; 'llavero login' gets a new one")
    }
  }

  private func choice(
    _ found: [Retired], within period: String, hint: Hint
  ) throws(Failure) -> Retired {
    if found.isEmpty {
      let what = place.isPlace ? Item(try place.named.key()).name : "such an item"
      throw Failure(
        "nothing of \(what) was deleted or replaced \(period)", hint: hint, status: .nothingMatched)
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
    var exact: [Retired] = []
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
