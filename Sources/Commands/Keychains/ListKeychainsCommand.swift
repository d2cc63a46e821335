import ArgumentParser
import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

struct ListKeychainsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the keychains in the order they are asked",
    discussion: """
      The first one that has an answer gives it. New items go to the one with the mark. Nobody is asked for a \
      passphrase; the exit status is 2 if one of them can't be used.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let location = try VaultLocation()
    let home = try Self.home(at: location)
    let list = try KeychainList.read(in: location.stateFolder)
    let rows = list.order(newItemsIn: home.keychain).map { keychain in
      KeychainRow(keychain, isHome: keychain.name == home.name, Self.selection)
    }
    try output.write(rows.map(\.report), or: Self.table(rows))
    let broken = rows.filter { $0.problem != nil }
    if broken.isEmpty { return }
    let names = broken.map(\.keychain.name).joined(separator: ", ")
    throw .failure(
      "the keychain\(broken.count == 1 ? "" : "s") \(names) can't be used",
      hint: broken.count == 1 ? broken[0].problem?.failure.hint : nil, status: .keychain)
  }

  private static var selection: KeychainSelection {
    var selection = KeychainSelection(mayPrompt: false)
    selection.mayAsk = false
    selection.mayRunPrograms = false
    selection.changesNothing = true
    return selection
  }

  /// The keychain that new items go to. Without a choice, this looks at what exists: the program may start anew.
  ///
  /// - Throws: ``KeychainError`` if it can't be told.
  static func home(at location: VaultLocation) throws(KeychainError) -> KeychainChoice {
    if let choice = try choice(at: location) { return choice }
    return try selection.chooseOrExec().open().choice
  }

  /// The choice so far; `nil` if none was made. An unknown name in `LLAVERO_KEYCHAIN` is ignored, because that error's
  /// hint leads here.
  private static func choice(at location: VaultLocation) throws(KeychainError) -> KeychainChoice? {
    do throws(KeychainError) {
      return try KeychainChoice.made(named: nil, at: location)
    } catch .noKeychain(let name) {
      StandardStreams.say(
        "there is no keychain '\(name)', which LLAVERO_KEYCHAIN names; without that, these are asked")
      unsetenv("LLAVERO_KEYCHAIN")
      return try KeychainChoice.made(named: nil, at: location)
    }
  }

  /// A row for each keychain; below it is why it can't be used.
  private static func table(_ rows: [KeychainRow]) -> TextForTerminal {
    let titles = ["", "NAME", "KIND", "PLACE", "STATE"]
    let cells = rows.map { row in
      [
        row.isHome ? "*" : "", row.keychain.name, row.keychain.kind.rawValue,
        row.shownPlace, row.shortState,
      ].map { withTilde(terminalText($0)) }
    }
    var table = Table()
    table.fit([titles] + cells)
    let width = TerminalStyle().width
    var text: TextForTerminal = ""
    func add(_ cells: [String]) {
      for line in table.lines(cells, wrappedTo: width) { text += "\(line)\n" }
    }
    add(titles)
    for (row, cells) in zip(rows, cells) {
      add(cells)
      if row.problem != nil { text += columns([[" ", withTilde(row.state)]], wrappedTo: width) }
    }
    return text
  }
}

/// A row of `llavero keychain list`.
struct KeychainRow {
  let keychain: ListedKeychain
  let isHome: Bool
  var place: String
  /// The number of items, if that takes no question.
  var count: Int?
  /// The number of those that other programs keep there, too.
  var othersCount = 0
  var isLocked = false
  /// The state of a shared keychain's repository or server.
  var sharing: SharingState?
  private(set) var problem: KeychainError?

  init(_ keychain: ListedKeychain, isHome: Bool, _ selection: KeychainSelection) {
    self.keychain = keychain
    self.isHome = isHome
    place = keychain.place
    var selection = selection
    selection.name = keychain.name
    do throws(KeychainError) {
      let open = try selection.chooseOrExec().open()
      try open.choice.kind.managed.describe(open, in: &self)
    } catch {
      problem = error
      isLocked = isLocked || Self.isLock(error)
    }
  }

  fileprivate var report: JSONObject {
    let settings = JSONObject { json in
      for option in keychain.options { json.member(ByteString(option.name), ByteString(option.value)) }
    }
    let kind = keychain.kind
    return [
      "keychain": keychain.name, "kind": kind.rawValue, "place": place.isEmpty ? nil : place,
      "settings": settings, "repository": kind.hasRepository ? keychain.shownPlace : nil,
      "default": isHome, "shared": kind.isShared, "usable": problem == nil,
    ] + ["locked": isLocked, "items": count] + (sharing?.report ?? [:]) + ["problem": problem?.message]
  }

  private static func isLock(_ error: KeychainError) -> Bool {
    if case .notMember = error { return true }
    if case .locked = KeychainReadiness(readingFailedWith: error) { return true }
    return false
  }

  /// The place for people; for a shared keychain, its repository.
  fileprivate var shownPlace: String {
    if keychain.kind.hasRepository { return keychain.shownPlace }
    return place.isEmpty ? "-" : place
  }

  /// The state without the reason why it can't be used.
  fileprivate var shortState: String {
    if problem == nil { return state }
    // Nothing would unlock it.
    if case .notMember? = problem { return "not a member" }
    return isLocked ? "locked" : "can't be used"
  }

  var state: String {
    if let problem { return problem.message + (sharing?.copies.map { "; copies \($0)" } ?? "") }
    if isLocked { return "locked" }
    guard let count else { return "ready" }
    return ItemCount(logins: count, others: othersCount).shortText
      + (sharing?.waits == true ? ", changes not sent yet" : "")
  }
}
