import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

extension SecretServiceKind: ManagedKind {
  var title: String { "Secret Service" }

  func status(of keychain: OpenKeychain) throws(KeychainError) -> KindStatus {
    let facts = try service(keychain).facts()
    // A service is asked for each secret by itself, so none is asked when it expires.
    return KindStatus(
      rows: Self.rows(facts, keychain.choice, Self.count(facts, in: keychain)), report: Self.report(facts))
  }

  private func service(_ keychain: OpenKeychain) throws(KeychainError) -> any DesktopKeychain {
    guard let service = keychain.secretService else {
      throw .unavailable(reason: "this program has no Secret Service")
    }
    return service
  }

  /// The items of an unlocked collection, if those of other programs can be told apart.
  private static func count(_ facts: DesktopKeychainFacts, in keychain: OpenKeychain) -> ItemCount? {
    guard facts.collection?.isLocked == false, !facts.hasItemsElsewhere,
      let logins = try? keychain.own.items(matching: .all).count
    else { return nil }
    return ItemCount(facts, logins: logins)
  }

  private static func rows(
    _ facts: DesktopKeychainFacts, _ choice: KeychainChoice, _ items: ItemCount?
  ) -> [[String]] {
    var summary = "secret-service, \(choice.reasonText), "
    if let collection = facts.collection {
      summary += "collection \(collection.name), \(collection.isLocked ? "locked" : "unlocked")"
    } else {
      summary += "without a collection for new items"
    }
    var rows = [["keychain", summary]]
    rows.append(["service", "\(facts.program ?? "unknown program") on \(facts.address)"])
    rows.append(["protection", protection(facts.collection)])
    if let items, items.others > 0 {
      rows.append(["items", items.text])
    } else if let count = facts.collection?.itemCount {
      rows.append(["items", "\(count), of all programs"])
    }
    let others = facts.collections.filter { $0 != facts.collection }
    for other in others {
      let count = other.itemCount.map { ", " + countText($0, "item") } ?? ""
      rows.append(["also", "collection \(other.name), \(other.isLocked ? "locked" : "unlocked")\(count)"])
    }
    return rows
  }

  private static func protection(_ collection: DesktopKeychainFacts.Collection?) -> String {
    guard let collection else { return "none yet: make a collection with 'llavero keychain create'" }
    if !collection.isLasting { return "kept in memory alone, and lost when you log out" }
    if let file = collection.textFile {
      return "none: the keyring has no password, and \(file) is plain text"
    }
    return "the password of the keyring; while that is unlocked, programs of yours can read it"
  }

  private static func report(_ facts: DesktopKeychainFacts) -> JSONObject {
    [
      "address": facts.address, "owner": facts.owner, "program": facts.program,
      "process": facts.processID, "collection": facts.collection?.name,
    ] + (facts.collection.map(report) ?? [:])
      + [
        "collections": facts.collections.map {
          ["collection": $0.name, "label": $0.label] + report($0)
        }
      ]
  }

  private static func report(_ collection: DesktopKeychainFacts.Collection) -> JSONObject {
    ["locked": collection.isLocked, "lasting": collection.isLasting, "items": collection.itemCount]
  }

  func describe(_ keychain: OpenKeychain, in row: inout KeychainRow) throws(KeychainError) {
    let facts = try service(keychain).facts()
    row.isLocked = facts.collection?.isLocked ?? false
    if row.isLocked { return }
    let logins = try keychain.own.items(matching: .all).count
    row.count = logins
    row.othersCount = ItemCount(facts, logins: logins)?.others ?? 0
  }

  func findings(_ selection: KeychainSelection) throws(KeychainError) -> [Finding]? {
    guard let provider = Program.secretService else {
      let reason = CompanionNeed.examined.obstacleToExec()?.reason ?? ""
      return [Finding("program", nil, problem: .unavailable(reason: reason))]
    }
    return provider.diagnose(try selection.secretServiceSettings(at: try VaultLocation()))
  }

  func unlock(_ keychain: OpenKeychain, as command: UnlockCommand) throws(KeychainError) {
    if command.total != nil || command.idle != nil {
      throw .failure(
        "how long a collection of the Secret Service stays unlocked is up to the desktop", status: .usage)
    }
    let options = command.keychain
    do throws(KeychainError) {
      try service(keychain).unlock(
        isKnown: command.terminal || options.passphraseFd != nil,
        passphrase: options.selection.keyringPassword(of: options.collection ?? "login"))
    } catch .collectionLocked(let name) where options.selection.mayBeAsked {
      throw .failure(
        "the collection '\(name)' is still locked: its service showed no prompt, or it was dismissed",
        hint:
          "on a terminal gnome-keyring takes the password from here; others have to be unlocked on the desktop",
        status: .keychain)
    } catch .wrongPassphrase(let name) {
      throw .failure("that password does not unlock the collection '\(name)'", status: .keychain)
    }
    command.saying.say("the keyring is unlocked")
  }

  func lock(_ keychain: OpenKeychain, as command: LockCommand) throws(KeychainError) -> TextForTerminal? {
    try service(keychain).lock()
    let files: TextForTerminal = command.all ? ", and so are all encrypted files" : ""
    return "the keyring is locked, for all programs" + files
  }

  func refuseUnusable(_ keychain: OpenKeychain) throws(KeychainError) {
    if try service(keychain).facts().collection == nil { throw .noCollection(nil) }
  }

  func count(in keychain: OpenKeychain) -> ItemCount? {
    guard let items = try? keychain.own.items(matching: .all) else { return nil }
    let logins = items.count { $0.key.secretServiceItem == nil }
    let all = items.count { $0.key.secretServiceItem?.kind != .collection }
    return ItemCount(logins: logins, others: all - logins)
  }
}
