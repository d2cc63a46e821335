import Bytes
import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

struct KeychainStatus {
  private let choice: KeychainChoice
  private let detail: Detail
  private let expiring: ExpiringListing?
  private let others: [String]
  /// The state of a shared keychain's repository or server.
  private let sharing: SharingState?

  private enum Detail {
    case file(VaultLocation, VaultSummary?, UnlockState?)
    case secretService(DesktopKeychainFacts)
    case forwarded(socket: String, items: Int)
    /// A keychain on a server; with the error that keeps it from storing anything, if copies answer meanwhile.
    case remote(KeychainError?)
  }

  /// - Throws: ``KeychainError`` if the keychain is broken. A locked one is not an error.
  init(of keychain: OpenKeychain) throws(KeychainError) {
    choice = keychain.choice
    others = keychain.list.map { $0.names.filter { $0 != keychain.choice.name } } ?? []
    switch keychain.store {
    case .file(let file):
      let summary = try file.summary()
      detail = try .file(file.location, summary, try file.unlockState())
      // If it is still locked, nobody is asked to unlock it for this.
      let isOpen = summary?.contents != nil
      sharing = choice.kind == .git ? SharingState(choice.keychain, file, isOpen: isOpen) : nil
      if isOpen {
        expiring = try Self.expiring(in: keychain)
      } else {
        expiring = nil
      }
    case .secretService(let service):
      detail = .secretService(try service.facts())
      // A service is asked for each secret by itself.
      (expiring, sharing) = (nil, nil)
    case .forwarded(let keychain):
      detail = .forwarded(
        socket: keychain.path, items: try keychain.items(matching: .all).count)
      (expiring, sharing) = (nil, nil)
    case .remote(let store):
      // Counting its items would read them all, and each read is in the server's log.
      let readiness = store.probe()
      let sharing = SharingState(choice.keychain, readiness, at: keychain.location)
      if let error = readiness.reason, sharing.copiesSince == nil { throw error }
      detail = .remote(readiness.reason)
      (expiring, self.sharing) = (nil, sharing)
    }
  }

  /// The secrets that expire soon. If another keychain of the list can't be used, this one's still count.
  private static func expiring(in keychain: OpenKeychain) throws(KeychainError) -> ExpiringListing? {
    let limit = Timestamp.now.seconds + ExpiringListing.soon
    do throws(KeychainError) {
      return try ExpiringListing(of: keychain, by: limit) { _ in true }
    } catch {
      if keychain.list == nil { throw error }
      StandardStreams.say("\(error.message)")
      return nil
    }
  }

  /// - Parameter surroundings: further facts to report.
  func text(_ surroundings: Surroundings? = nil) -> TextForTerminal {
    let own =
      switch detail {
      case .file(let location, let summary, let state): rows(location, summary, state)
      case .secretService(let facts): rows(facts)
      case .forwarded(let socket, let count): rows(socket, count)
      case .remote(let error): rows(ofServer: error)
      }
    let list =
      others.isEmpty ? [] : [["others", "\(others.joined(separator: ", ")); see 'llavero keychain list'"]]
    return columns(own + list + (expiring?.summary(at: .now) ?? []) + (surroundings?.rows ?? []))
  }

  func json(_ surroundings: Surroundings? = nil) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("keychain", ByteString(choice.name))
    if choice.name != choice.kind.rawValue { json.member("kind", ByteString(choice.kind.rawValue)) }
    json.member("reason", choice.reasonName)
    if case .remembered(let date) = choice.reason { json.member("remembered", date) }
    switch detail {
    case .file(let location, let summary, let state): Self.members(location, summary, state, in: &json)
    case .secretService(let facts): Self.members(facts, in: &json)
    case .forwarded(let socket, let count):
      json.member("socket", ByteString(socket))
      json.member("items", count)
    case .remote(let error):
      json.member("place", ByteString(choice.keychain.place))
      json.member("problem", error.map { ByteString($0.message) })
    }
    if choice.kind == .git { json.member("repository", ByteString(choice.keychain.shownPlace)) }
    sharing?.write(to: &json)
    if !others.isEmpty {
      json.beginArray("others")
      for name in others { json.element(ByteString(name)) }
      json.endArray()
    }
    if let expiring {
      json.beginArray("expiring")
      expiring.write(to: &json)
    }
    surroundings?.write(to: &json)
    json.endObject()
    return json.finishLine()
  }

  // MARK: Encrypted file

  private func rows(
    _ location: VaultLocation, _ summary: VaultSummary?, _ state: UnlockState?
  ) -> [[String]] {
    var rows = firstRows(location)
    guard let summary else {
      return rows + [["items", "none yet; the first login that is stored makes the keychain"]]
    }
    let isGit = choice.kind == .git
    rows.append([
      "protection",
      isGit
        ? "a key of each member's; see 'llavero keychain member list \(choice.name)'"
        : Self.protection(location, summary),
    ])
    if summary.hasPassphrase, !summary.hasIdentityFile { rows.append(["state", state?.text ?? "locked"]) }
    if summary.ways.count > 1, !isGit {
      rows.append([
        "ways in", "\(summary.ways.map(\.kind.name).joined(separator: ", ")); see 'llavero slot list'",
      ])
    }
    if let contents = summary.contents {
      rows.append(["items", "\(contents.count)"])
      rows.append(["changed", "\(contents.written) (write \(contents.generation))"])
    } else {
      rows.append(["items", "unknown, because the keychain is locked"])
    }
    rows.append(["size", "\(summary.size) bytes"])
    return rows
  }

  /// The keychain's kind, place, and the state of its repository.
  private func firstRows(_ location: VaultLocation) -> [[String]] {
    let listed = choice.keychain
    guard listed.kind == .git else {
      let name = listed.isBuiltIn ? "" : "\(listed.name), "
      return [["keychain", "\(name)file \(location.vaultFile), \(choice.reasonText)"]]
    }
    let branch = listed.value(of: ListedKeychain.branchOption).map { ", branch \($0)" } ?? ""
    return [
      ["keychain", "\(listed.name), shared through git, \(choice.reasonText)"],
      ["repository", listed.shownPlace + branch], ["copy", location.vaultFile],
    ]
      + [("exchange", sharing?.exchange), ("not sent yet", sharing?.unsent)].compactMap { (what, text) in
        text.map { [what, $0] }
      }
  }

  private static func members(
    _ location: VaultLocation, _ summary: VaultSummary?, _ state: UnlockState?, in json: inout JSONWriter
  ) {
    json.member("path", ByteString(location.vaultFile))
    json.member("exists", summary != nil)
    guard let summary else { return }
    json.member("uuid", ByteString(summary.uuid))
    json.member("protection", Self.protectionName(summary))
    if summary.hasIdentityFile { json.member("identity", ByteString(location.identityFile)) }
    json.beginArray("ways")
    for way in summary.ways { json.element(ByteString(way.kind.name)) }
    json.endArray()
    json.member("locked", summary.contents == nil)
    if let state {
      json.beginObject("unlocked")
      json.member("by", ByteString("agent"))
      json.member("idle", state.idle)
      json.member("for", state.total)
      json.endObject()
    }
    json.member("items", summary.contents?.count)
    json.member("generation", summary.contents?.generation)
    json.member("changed", summary.contents?.written)
    json.member("size", summary.size)
  }

  private static func protection(_ location: VaultLocation, _ summary: VaultSummary) -> String {
    if summary.hasIdentityFile || summary.ways.isEmpty {
      return
        "a key in \(location.identityFile): safe if copied without the key, but not from anyone who reads your home"
    }
    if summary.ways.contains(where: { $0.kind == .recipient || $0.kind == .command }) {
      return "slots, opened by what 'llavero slot list' shows"
    }
    return summary.hasPassphrase ? "a passphrase" : "a recovery code"
  }

  /// The kind of protection: a key file on this machine, a passphrase, or only other slots.
  private static func protectionName(_ summary: VaultSummary) -> ByteString {
    if summary.hasIdentityFile || summary.ways.isEmpty { return "identity-file" }
    return summary.hasPassphrase ? "passphrase" : "slots"
  }

  // MARK: Forwarded keychain

  private func rows(_ socket: String, _ count: Int) -> [[String]] {
    [
      ["keychain", "forwarded, \(choice.reasonText)"], ["socket", socket],
      ["protection", "nothing is stored here; the other machine decides about each request"],
      ["items", "\(count) without a question; about others, a person there is asked when a tool needs them"],
    ]
  }

  // MARK: A keychain on a server

  private func rows(ofServer error: KeychainError?) -> [[String]] {
    var rows = [
      ["keychain", "\(choice.name), in OpenBao, \(choice.reasonText)"], ["server", choice.keychain.place],
    ]
    if let error { rows.append(["problem", error.message]) }
    if let copies = sharing?.copies { rows.append(["copies", copies]) }
    return rows + [["protection", "the server's policies; its operator can read everything"]]
  }

  // MARK: Secret Service

  private func rows(_ facts: DesktopKeychainFacts) -> [[String]] {
    var summary = "secret-service, \(choice.reasonText), "
    if let collection = facts.collection {
      summary += "collection \(collection.name), \(collection.isLocked ? "locked" : "unlocked")"
    } else {
      summary += "without a collection for new items"
    }
    var rows = [["keychain", summary]]
    rows.append(["service", "\(facts.program ?? "unknown program") on \(facts.address)"])
    rows.append(["protection", Self.protection(facts.collection)])
    if let count = facts.collection?.itemCount { rows.append(["items", "\(count), of all programs"]) }
    let others = facts.collections.filter { $0 != facts.collection }
    for other in others {
      let count = other.itemCount.map { $0 == 1 ? ", 1 item" : ", \($0) items" } ?? ""
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

  private static func members(_ facts: DesktopKeychainFacts, in json: inout JSONWriter) {
    json.member("address", ByteString(facts.address))
    json.member("owner", ByteString(facts.owner))
    json.member("program", facts.program.map { ByteString($0) })
    json.member("process", facts.processID)
    json.member("collection", facts.collection.map { ByteString($0.name) })
    if let collection = facts.collection {
      json.member("locked", collection.isLocked)
      json.member("lasting", collection.isLasting)
      json.member("items", collection.itemCount)
    }
    json.beginArray("collections")
    for collection in facts.collections {
      json.beginObject()
      json.member("collection", ByteString(collection.name))
      json.member("label", ByteString(collection.label))
      json.member("locked", collection.isLocked)
      json.member("lasting", collection.isLasting)
      json.member("items", collection.itemCount)
      json.endObject()
    }
    json.endArray()
  }
}
