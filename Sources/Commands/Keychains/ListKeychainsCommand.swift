import ArgumentParser
import Bytes
import EncryptedFile
import Forwarding
import Glibc
import Keychain
import KeychainChoice
import Terminals
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
    var selection = KeychainSelection(mayPrompt: false)
    selection.mayAsk = false
    selection.mayRunPrograms = false
    selection.changesNothing = true
    let choice = try Self.choice(at: location)
    // Without a choice, look at what exists.
    let home = if let choice { choice } else { try selection.choose().open().choice }
    let list = try KeychainList.read(in: location.stateFolder)
    let rows = list.order(newItemsIn: home.keychain).map { keychain in
      Row(keychain, isHome: keychain.name == home.name, selection)
    }
    try StandardStreams.write(output.json ? Self.json(rows) : Secret(Self.table(rows).shown))
    let broken = rows.filter { $0.problem != nil }.map(\.keychain.name)
    if broken.isEmpty { return }
    throw .failure(
      "the keychain\(broken.count == 1 ? "" : "s") \(broken.joined(separator: ", ")) can't be used",
      status: .keychain)
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

  private struct Row {
    let keychain: ListedKeychain
    let isHome: Bool
    let place: String
    /// The number of items, if that takes no question.
    var count: Int?
    var isLocked = false
    /// The state of a shared keychain's repository or server.
    var sharing: SharingState?
    var problem: KeychainError?

    init(_ keychain: ListedKeychain, isHome: Bool, _ selection: KeychainSelection) {
      self.keychain = keychain
      self.isHome = isHome
      var selection = selection
      selection.name = keychain.name
      var place = keychain.place
      do throws(KeychainError) {
        let open = try selection.choose().open()
        if let file = open.file {
          place = file.location.vaultFolder
          let summary = try file.summary()
          isLocked = summary != nil && summary?.contents == nil
          if keychain.kind == .git { sharing = SharingState(keychain, file, isOpen: !isLocked) }
          try keychain.checkMembership(in: file)
          // Members are asked for nothing, so something is missing.
          if isLocked, keychain.kind == .git { _ = try file.items(matching: .all) }
          count = summary == nil ? 0 : summary?.contents?.count
        } else {
          if let forwarded = open.forwarded { place = forwarded.path }
          if let service = open.secretService {
            isLocked = try service.facts().collection?.isLocked ?? false
          }
          if let remote = open.remote {
            // Counting its items would read them all.
            let readiness = remote.probe()
            sharing = SharingState(keychain, readiness, at: open.location)
            if let error = readiness.reason { throw error }
          } else if !isLocked {
            count = try open.own.items(matching: .all).count
          }
        }
      } catch {
        problem = error
        isLocked = isLocked || Self.isLock(error)
      }
      self.place = place
    }

    private static func isLock(_ error: KeychainError) -> Bool {
      if case .notMember = error { return true }
      if case .locked = KeychainReadiness(readingFailedWith: error) { return true }
      return false
    }

    /// The place for people; for a shared keychain, its repository.
    var shownPlace: String {
      if keychain.kind == .git { return keychain.shownPlace }
      return place.isEmpty ? "-" : place
    }

    var state: String {
      if let problem { return problem.message + (sharing?.copies.map { "; copies \($0)" } ?? "") }
      if isLocked { return "locked" }
      guard let count else { return "ready" }
      return (count == 1 ? "1 item" : "\(count) items")
        + (sharing?.waits == true ? ", changes not sent yet" : "")
    }
  }

  private static func table(_ rows: [Row]) -> TextForTerminal {
    columns(
      [["", "NAME", "KIND", "PLACE", "STATE"]]
        + rows.map { row in
          [
            row.isHome ? "*" : "", row.keychain.name, row.keychain.kind.rawValue,
            row.shownPlace, row.state,
          ].map(terminalText)
        })
  }

  private static func json(_ rows: [Row]) -> Secret {
    var json = JSONWriter()
    json.beginArray()
    for row in rows {
      json.beginObject()
      json.member("keychain", ByteString(row.keychain.name))
      json.member("kind", ByteString(row.keychain.kind.rawValue))
      if !row.place.isEmpty { json.member("place", ByteString(row.place)) }
      json.beginObject("settings")
      for option in row.keychain.options { json.member(ByteString(option.name), ByteString(option.value)) }
      json.endObject()
      if row.keychain.kind == .git { json.member("repository", ByteString(row.keychain.shownPlace)) }
      json.member("default", row.isHome)
      json.member("shared", row.keychain.kind.isShared)
      json.member("usable", row.problem == nil)
      json.member("locked", row.isLocked)
      json.member("items", row.count)
      row.sharing?.write(to: &json)
      json.member("problem", row.problem.map { ByteString($0.message) })
      json.endObject()
    }
    json.endArray()
    return json.finishLine()
  }
}
