import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Change an item: its secret, its attributes, or its place",
    discussion: """
      The place says which item. --label, --comment and so on, and --new-server and so on, say what changes. Without \
      any of these, the secret changes: you are asked for it on the terminal, or it is read from standard input. Add \
      --secret to change both. An empty text removes an attribute.

        llavero update https://github.com --account alice
        llavero update https://github.com --label 'work' --expires 30d
        llavero update https://github.com --code-fd 3 3< key.txt
        llavero update https://old.example.com --new-server new.example.com

      Several items at once, by patterns of their attributes:

        llavero update --all --server '*.example.com' --comment 'moves in May'
      """)

  @OptionGroup var selected: KeySelectionOptions
  @OptionGroup var notes: ItemAttributeOptions
  @OptionGroup var kept: CredentialOptions
  @OptionGroup var newKey: NewKeyOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  @Flag(help: "Change the secret too, along with the rest")
  var secret = false

  @Flag(help: "Change all items that match, in one step")
  var all = false

  func validate() throws {
    try selected.validate(all: all)
    if all, !secret, notes.isEmpty, newKey.change.isEmpty, kept.isEmpty {
      throw ValidationError("Nothing was given that should change.")
    }
  }

  func run() throws(KeychainError) {
    var kept = try kept.change()
    let newKey = newKey.change
    let asked = selected.selection(all: all)
    try asked.check()
    let settings = keychain.selection
    let mayAsk = settings.mayAskPerson
    let open = try keychain.open()
    let keychain = open.keychain
    let meant = MeantItem(in: open, isExact: names.exact, settings, for: .changing)
    let selection = all ? asked : try asked.meant(by: meant)
    let items: [Item]
    do throws(KeychainError) {
      items = try keychain.reading { () throws(KeychainError) in
        Result { () throws(KeychainError) -> [Item] in
          let items = try selection.items(in: keychain, all: all)
          // Check for impossible changes before asking for the secret.
          try open.refuseShared(items, what: "changes")
          for item in items { try check(item, newKey, keychain) }
          return items
        }
      }.get()
    } catch {
      throw all ? try output.withArray(error) : error
    }
    try self.kept.readCode(into: &kept)
    let changed: Changed
    if secret || notes.isEmpty && newKey.isEmpty && kept.isEmpty {
      let name = items.count == 1 ? items[0].name : "\(items.count) items"
      let secret = try SecretInput.read(for: name, mayAsk: mayAsk)
      changed = try change(items, newKey, keychain) { credential in
        // Everything else about the former secret is worthless with another one.
        credential = Credential(secret.copy(), authenticationScheme: credential.authenticationScheme)
        kept.apply(to: &credential)
      }
      if let item = changed.items.first { sayIfNoToolTakes(secret, of: item) }
    } else if kept.isEmpty {
      changed = try change(items, newKey, keychain, nil)
    } else {
      changed = try change(items, newKey, keychain) { kept.apply(to: &$0) }
    }
    if all {
      if !output.json, !output.quiet { StandardStreams.say("changed \(countText(changed.count, "item"))") }
      try output.write(changed.items.map(\.report))
    } else {
      let item = changed.items[0]
      let name = item.key.inSentence
      try output.write(item.report, saying: changed.count == 0 ? .isAsBefore(name) : "changed \(name)")
    }
  }

  private func check(_ item: Item, _ newKey: KeyChange, _ keychain: any KeychainStore) throws(KeychainError) {
    let after = try replacement(for: item, newKey)
    if after.key != item.key { try after.validateKey() }
    try after.validate()
    // A Secret Service may have several items with this key already.
    if after.key.primaryKey == item.key.primaryKey { return }
    let isTaken = try keychain.twin(of: after) != nil
    if isTaken { throw .taken(after.key) }
  }

  private func replacement(for item: Item, _ newKey: KeyChange) throws(KeychainError) -> Item {
    var item = item
    notes.note(on: &item)
    try newKey.apply(to: &item.key)
    return item
  }

  /// The items as they are now, and how many of them were not so before.
  private struct Changed {
    var items: [Item] = []
    var count = 0
  }

  private func change(
    _ items: [Item], _ newKey: KeyChange, _ keychain: any KeychainStore,
    _ changeCredential: ((inout Credential) -> Void)?
  ) throws(KeychainError) -> Changed {
    var key = items[0].key
    let keychain = keychain.part(with: items)
    do throws(KeychainError) {
      return try keychain.exclusively { () throws(KeychainError) -> Changed in
        var changed = Changed()
        for item in items {
          // The check above has accepted the change for items of this class.
          let present = try keychain.present(item)
          guard let after = try? replacement(for: present, newKey) else { throw .itemNotFound }
          key = after.key
          var credential: Credential?
          if let changeCredential {
            var new = try keychain.credential(of: present)
            changeCredential(&new)
            credential = consume new
          }
          let different = try keychain.changeIfDifferent(present, to: after, credential)
          changed.items.append(different ?? present)
          if different != nil { changed.count += 1 }
        }
        return changed
      }
    } catch .duplicateItem {
      throw .taken(key)
    }
  }
}

/// Options that select the items to update: one place exactly, or with `--all` patterns of key attributes.
struct KeySelectionOptions: ParsableArguments {
  @OptionGroup private var place: PlaceArguments

  @Option("How the server asks for it, if that is part of the item's key", value: "text")
  var authenticationType: String?

  @Option("With --all, items of this class", value: "class", name: .customLong("class"))
  var itemClass: ItemClass?

  @Option(
    "With --all, items of servers that look like this; as in all texts that select with --all, * stands for anything, ? for one character and [...] for one of several",
    value: "pattern")
  var server: String?

  @Option("With --all, items of such protocols", value: "pattern")
  var `protocol`: String?

  @Option("With --all, items of this port", value: "number")
  var port: UInt16?

  @Option("With --all, items of such paths", value: "pattern")
  var path: String?

  @Option("The keychain's own name for the item, as 'llavero list --json' shows it", value: "text")
  var reference: String?

  func validate(all: Bool) throws {
    if reference != nil {
      try place.validate(besideReference: reference)
      if all || itemClass != nil || !given.isEmpty {
        throw ValidationError("--reference goes with no other option that names items.")
      }
      return
    }
    if port == 0 { throw ValidationError("--port is a number from 1 to 65535.") }
    let given = given
    let isEmpty = itemClass == nil && given.isEmpty
    try ItemSelection.validate(
      url: place.url, service: place.service, pattern: ItemSelection.pattern(itemClass, given),
      isEmpty: isEmpty, all: all)
  }

  func selection(all: Bool) -> ItemSelection {
    if place.url != nil || !all {
      var named = place.place(orReference: reference)
      named.authenticationType = authenticationType
      return .named(named)
    }
    return .matching(ItemFilter(given, itemClass: itemClass))
  }

  private var given: [Item.Attribute: String] {
    let values: [Item.Attribute: String?] = [
      .server: server, .protocol: `protocol`, .port: port?.description, .account: place.account, .path: path,
      .securityDomain: place.domain, .authenticationType: authenticationType, .service: place.service,
    ]
    return values.compactMapValues { $0 }
  }
}

/// Options for the new attributes of an item's key.
struct NewKeyOptions: ParsableArguments {
  @Option("Another server", value: "host")
  var newServer: String?

  @Option("Another protocol", value: "scheme")
  var newProtocol: String?

  @Option("Another port; '' for the protocol's own", value: "number")
  var newPort: String?

  @Option("Another user name; '' for none", value: "name")
  var newAccount: String?

  @Option("Another path; '' for the whole server", value: "path")
  var newPath: String?

  @Option("Another tool that the item is for; '' for git and people", value: "tool")
  var newDomain: String?

  @Option("Another service of an item that has no URL", value: "name")
  var newService: String?

  @Option("Another way in which the server asks for it; '' for the usual", value: "text")
  var newAuthenticationType: String?

  var change: KeyChange {
    let values: [Item.Attribute: String?] = [
      .server: newServer, .protocol: newProtocol, .port: newPort, .account: newAccount, .path: newPath,
      .securityDomain: newDomain, .service: newService, .authenticationType: newAuthenticationType,
    ]
    return KeyChange(values.compactMapValues { $0 })
  }
}
