import ArgumentParser
import Keychain

/// `llavero delete`
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete an item",
    discussion: """
      Deletes the item of just that place. If several accounts have one, name the account, or give --all.

        llavero delete https://github.com --account alice
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Delete the items of all accounts of that place")
  var all = false

  func run() throws {
    let keychain = try keychain.open().keychain
    let items: [Item]
    if all {
      items = try place.items(in: keychain)
      if items.isEmpty { throw try place.nothingMatches() }
    } else {
      items = [try place.item(in: keychain)]
    }
    _ = try explaining { () throws(KeychainError) in try keychain.delete(items) }
    if output.json { try StandardStreams.write(ItemOutput.json(items)) }
  }
}
