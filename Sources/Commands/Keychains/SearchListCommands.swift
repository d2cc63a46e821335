import ArgumentParser
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

struct RemoveKeychainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a keychain from the list",
    discussion: """
      Its items and its file stay. llavero forgets which of its items are hidden here, and its copies of items on a \
      server. If you have changed a keychain that is shared through git, and the changes were not sent yet, you are \
      told where they stay, and asked on a terminal.
      """)

  @Argument("The keychain", value: "name")
  var name: String

  @Flag(name: .shortAndLong, help: "Leave unsent changes behind without asking")
  var yes = false

  @OptionGroup var saying: SayingOptions

  func run() throws(KeychainError) {
    let location = try VaultLocation()
    let state = location.stateFolder
    if try isChosen(in: state) {
      throw .failure(
        "the keychain \(name) can't be removed while new items go to it",
        hint: "choose another one for them first, with 'llavero keychain use'", status: .usage)
    }
    let list = try KeychainList.read(in: state)
    guard let listed = list.keychains.first(where: { $0.name == name }) else {
      throw .failure(
        "there is no keychain \(name) in the list", hint: "see it with 'llavero keychain list'",
        status: .nothingMatched)
    }
    if listed.kind.hasRepository { try LeavingGitKeychain(listed, at: location)?.confirm(unless: yes) }
    // If another process has changed it meanwhile, look and ask again.
    if try !remove(listed, at: location) { return try run() }
    saying.say("the keychain \(name) isn't asked any more; its items stay where they are")
  }

  /// Returns whether exactly this entry was there, and new items don't go to its keychain.
  private func remove(_ listed: ListedKeychain, at location: VaultLocation) throws(KeychainError) -> Bool {
    let (isRemoved, durability) = try KeychainList.change(in: location.stateFolder) {
      (list) throws(KeychainError) in
      if try isChosen(in: location.stateFolder) { return false }
      return list.keychains.contains(listed) && list.remove(name)
    }
    StandardStreams.warn(durability)
    if isRemoved { AddKeychainCommand.forget(name, at: location) }
    return isRemoved
  }

  /// Whether new items go to the keychain: it is asked then, even if it isn't in the list.
  private func isChosen(in state: String) throws(KeychainError) -> Bool {
    try RememberedKeychain.read(in: state)?.name == name
  }
}

struct OrderKeychainsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Say which keychains are asked first",
    discussion: """
      The ones that you name come first, in this order; then the others as they were. The first keychain that has an \
      answer gives it. A built-in keychain that you name is asked from then on, too, and the one in use is asked anyway:

        llavero keychain order file team secret-service
      """)

  @Argument(help: ArgumentHelp("The keychains", valueName: "name"))
  var names: [String]

  @OptionGroup var saying: SayingOptions

  func validate() throws {
    if Set(names).count != names.count { throw ValidationError("A keychain is named twice.") }
  }

  func run() throws(KeychainError) {
    let location = try VaultLocation()
    for name in names { _ = try ListedKeychain.named(name) }
    // The order outlives it.
    unsetenv("LLAVERO_KEYCHAIN")
    let home = try ListKeychainsCommand.home(at: location)
    let (order, durability) = try KeychainList.change(in: location.stateFolder) {
      (list) throws(KeychainError) in
      var first: [ListedKeychain] = []
      for name in names {
        guard let keychain = list.keychain(named: name) else { throw .noKeychain(name) }
        first.append(keychain)
      }
      // If it weren't listed, it would be asked before these.
      if !home.kind.isOfOtherMachine,
        !(list.keychains + first).contains(where: { $0.name == home.name })
      {
        first.append(home.keychain)
      }
      list.putFirst(first)
      return list.order(newItemsIn: home.keychain).map(\.name)
    }
    StandardStreams.warn(durability)
    saying.say("asked in this order: \(order.joined(separator: ", "))")
  }
}
