import ArgumentParser
import Keychain

/// `llavero add`
struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add an item",
    discussion: """
      The secret is asked for on the terminal, or read from standard input, never from the command line:

        llavero add https://github.com --account alice
        pass show github | head -n 1 | llavero add https://github.com --account alice

      One item can serve everything under a path, as that of an organisation: https://github.com/acme
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var notes: NoteOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var item = Item(try place.key())
    notes.note(on: &item)
    let open = try self.keychain.open()
    let keychain = open.keychain
    // Before the secret is asked for: what can't be added, and what is there already.
    try explaining { () throws(KeychainError) in
      try item.validate()
      let twins = try keychain.items(matching: try ItemQuery(for: item.key))
      if twins.contains(where: { $0.key.primaryKey == item.key.primaryKey }) { throw .duplicateItem }
    }
    let credential = Credential(try SecretInput.read(for: item.name))
    let added = try explaining { () throws(KeychainError) in try keychain.add(item, credential) }
    try open.remember()
    if output.json { try StandardStreams.write(ItemOutput.json(added)) }
  }
}
