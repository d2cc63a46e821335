import EncryptedFile
package import Keychain
package import KeychainChoice
import Terminals

extension KeychainSelection {
  /// Uses a keychain from now on, and reports what is left in the old one.
  ///
  /// - Throws: ``KeychainError`` if it can't be used.
  package func use(_ keychain: ListedKeychain) throws(KeychainError) {
    var selection = self
    selection.mayAsk = false
    selection.mayRunPrograms = false
    selection.mayPrompt = false
    selection.name = keychain.name
    if keychain.kind == .forwarded { return try selection.useForwarded() }
    let new = try selection.choose().open()
    if keychain.kind == .secretService, new.file != nil {
      throw .failure(
        "llavero itself provides the Secret Service, from the encrypted file",
        hint: "\(command: "llavero", "keychain", "use", "file") chooses that", status: .usage)
    }
    if let service = new.secretService {
      let facts = try service.facts()
      if facts.collection == nil { throw .noCollection(nil) }
    }
    // A locked one unlocks when something is stored. Any other fault would only show then, perhaps unseen.
    if new.secretService == nil, case let readiness = new.own.probe(), !readiness.canKeepSecrets,
      let failure = readiness.reason?.failure
    {
      throw .failure(
        "\(failure.message); new items go where they went before", hint: failure.hint, status: .keychain)
    }
    var vault: String?
    if case .file(let file) = new.store {
      if try file.isThere() {
        vault = file.location.vaultFile
      }
    }
    let folder = new.location.stateFolder
    let former = try? RememberedKeychain.read(in: folder)?.name
    StandardStreams.warn(try RememberedKeychain.write(keychain, vault: vault, in: folder))
    if !keychain.isBuiltIn, let former { try Self.list(former, in: folder) }
    if keychain.kind.isShared {
      StandardStreams.say(
        "new items go to the keychain \(keychain.name) from now on, and everyone who uses it can read them; "
          + "\(command: "llavero", "keychain", "use", former ?? KeychainKind.file.rawValue) changes that")
    }
    for other in [KeychainKind.file, .secretService] where other.rawValue != keychain.name {
      selection.tellWhatStaysBehind(in: other, former)
    }
  }

  /// Lists the former keychain for new items, so that it still answers.
  private static func list(_ former: String, in stateFolder: String) throws(KeychainError) {
    let (_, durability) = try KeychainList.change(in: stateFolder) { list in
      guard !list.keychains.contains(where: { $0.name == former }),
        let keychain = list.keychain(named: former), keychain.kind != .forwarded
      else { return }
      list.putFirst([keychain])
    }
    StandardStreams.warn(durability)
  }

  /// Uses the keychain forwarded to this machine, even if there is none at the moment.
  private func useForwarded() throws(KeychainError) {
    let folder = try VaultLocation().stateFolder
    let former = try? RememberedKeychain.read(in: folder)?.name
    StandardStreams.warn(try RememberedKeychain.write(.forwarded, in: folder))
    for other in [KeychainKind.file, .secretService] { tellWhatStaysBehind(in: other, former) }
    do throws(KeychainError) {
      _ = try choose().open()
    } catch {
      let failure = error.failure
      StandardStreams.say("only a forwarded keychain is used here from now on; \(failure.message)")
      if let hint = failure.hint { StandardStreams.say("hint: \(hint)") }
    }
  }

  private func tellWhatStaysBehind(in other: KeychainKind, _ former: String?) {
    // The search list still asks it.
    if let location = try? VaultLocation(), let list = try? KeychainList.read(in: location.stateFolder),
      list.keychains.contains(where: { $0.name == other.rawValue })
    {
      return
    }
    var selection = self
    selection.name = other.rawValue
    let name = other == .file ? "encrypted file" : "Secret Service"
    guard let count = selection.count() else {
      if other.rawValue != former { return }
      return StandardStreams.say("how many items stay behind in the \(name) can't be told")
    }
    if count == 0 { return }
    let items = count == 1 ? "1 item stays" : "\(count) items stay"
    StandardStreams.say("\(items) behind in the \(name)")
  }

  /// `nil` if it is unknown.
  private func count() -> Int? {
    guard let open = try? choose().open() else { return nil }
    // If llavero serves it, its items are the encrypted file's.
    if name == KeychainKind.secretService.rawValue, open.file != nil { return 0 }
    switch open.store {
    case .file(let file):
      do throws(KeychainError) {
        guard let summary = try file.summary() else { return 0 }
        return summary.contents?.count
      } catch {
        return nil
      }
    case .secretService(let service): return try? service.items(matching: .all).count
    case .forwarded, .remote: return nil
    }
  }
}
