import ArgumentParser
import Keychain

/// `llavero list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the items, without their secrets",
    discussion: """
      Sorted by server. For scripts, --json prints an array of objects with the attributes that each item has:

        llavero list --json | jq -r '.[].server'
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let keychain = try keychain.open().keychain
    let items = try explaining { () throws(KeychainError) in try keychain.items(matching: .all) }
      .map { (server: Self.server(of: $0), name: $0.key.name, item: $0) }
      .sorted { ($0.server, $0.name) < ($1.server, $1.name) }
      .map(\.item)
    if output.json {
      try StandardStreams.write(ItemOutput.json(items))
    } else if items.isEmpty {
      StandardStreams.say("the keychain has no items yet")
    } else {
      try StandardStreams.write(ItemOutput.table(items))
    }
  }

  private static func server(of item: Item) -> String {
    guard case .internetPassword(let key) = item.key else { return item.key.place }
    return key.server?.lowercased.description ?? ""
  }
}
