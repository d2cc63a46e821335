import ArgumentParser
import Keychain

/// `llavero update`
struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Change an item's secret, or what is noted about it",
    discussion: """
      The new secret is asked for on the terminal, or read from standard input. If only --label or --comment is \
      given, the secret stays; add --secret to change both. An empty text removes a label or comment.

        llavero update https://github.com --account alice
        llavero update https://github.com --account alice --label 'work' --comment 'expires in May'
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var notes: NoteOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Change the secret too, where --label or --comment is given")
  var secret = false

  func run() throws {
    let keychain = try keychain.open().keychain
    var item = try place.item(in: keychain)
    notes.note(on: &item)
    let noted = item
    let changed: Item
    if notes.isEmpty || secret {
      let credential = Credential(try SecretInput.read(for: item.name))
      changed = try explaining { () throws(KeychainError) in try keychain.update(noted, credential) }
    } else {
      changed = try explaining { () throws(KeychainError) in try keychain.update(noted) }
    }
    if output.json { try StandardStreams.write(ItemOutput.json(changed)) }
  }
}
