import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change an item's attributes in an editor",
    discussion: """
      Opens the editor that VISUAL or EDITOR names, with a line for each attribute, but never the secret. What you \
      write is checked and stored in one step. If another process has changed the item in the meantime, nothing is \
      changed.

        llavero edit https://github.com --account alice
      """)

  @OptionGroup var place: PlaceOptions

  @Option("How the server asks for it, if that is part of the item's key", value: "text")
  var authenticationType: String?

  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    var named = place.named
    named.authenticationType = authenticationType
    let selection = keychain.selection
    try named.check()
    let open = try keychain.open()
    let keychain = open.keychain
    let item = try MeantItem(in: open, isExact: names.exact, selection, for: .changing).meant(by: named)
      .item(in: keychain)
    try open.refuseShared([item], what: "changes")
    try Editor.check(selection)
    var text = Array(ItemText.text(of: item).utf8)
    while true {
      text = try Editor.edit(text)
      let problem: KeychainError
      switch Self.reading(item, text) {
      case .success(let edited):
        guard let edited, edited != item else {
          StandardStreams.say("nothing was changed")
          try output.write(item.report)
          return
        }
        guard let taken = try change(item, to: edited, in: keychain) else { return }
        problem = taken
      case .failure(let fault):
        problem = KeychainError(fault.text, hint: "nothing was changed", status: .usage)
      }
      let text: TextForTerminal = "\(problem.message)\n"
      guard let isWanted = selection.confirms("Edit it again?", showing: text) else { throw problem }
      if !isWanted { throw .failure("nothing was changed", status: .nothingMatched) }
    }
  }

  private static func reading(_ item: Item, _ text: [UInt8]) -> Result<Item?, ItemText.Fault> {
    do throws(ItemText.Fault) {
      return .success(try ItemText.item(item, editedTo: text))
    } catch {
      return .failure(error)
    }
  }

  /// Makes the change. Returns a problem that the user can fix in the editor, if there is one.
  private func change(
    _ item: Item, to edited: Item, in keychain: any KeychainStore
  ) throws(KeychainError) -> KeychainError? {
    var isAsBefore = true
    let keychain = keychain.part(with: [item])
    let changed: Item?
    do throws(KeychainError) {
      changed = try keychain.exclusively { () throws(KeychainError) -> Item? in
        isAsBefore = try keychain.present(item) == item
        return isAsBefore ? try keychain.update(edited) : nil
      }
    } catch .duplicateItem {
      return .taken(edited.key)
    } catch .itemNotFound {
      isAsBefore = false
      changed = nil
    }
    guard isAsBefore, let changed else {
      throw .failure(
        "another process has changed the item in the meantime; nothing was changed", hint: "run this again",
        status: .keychain)
    }
    try output.write(changed.report, saying: "changed \(changed.key.inSentence)")
    return nil
  }
}
