import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

extension KeychainSelection {
  /// Uses a keychain from now on, and reports what is left in the old one.
  ///
  /// - Throws: ``KeychainError`` if it can't be used.
  func use(_ keychain: ListedKeychain, _ saying: SayingOptions) throws(KeychainError) {
    // What is used from now on outlives it.
    unsetenv("LLAVERO_KEYCHAIN")
    var selection = self
    selection.mayAsk = false
    selection.mayRunPrograms = false
    selection.mayPrompt = false
    selection.name = keychain.name
    if keychain.kind.isOfOtherMachine { return try selection.useForwarded(saying) }
    let new: OpenKeychain
    do throws(KeychainError) {
      new = try selection.chooseOrExec().open()
    } catch {
      guard case .unavailable = error else { throw error }
      throw error.failure.whereNothingIsChosen(status: error.failure.status)
    }
    if keychain.kind.needsCompanion, new.file != nil {
      throw .failure(
        "llavero itself provides the Secret Service, from the encrypted file",
        hint: "\(command: "llavero", "keychain", "use", "file") chooses that", status: .usage)
    }
    try new.choice.kind.managed.refuseUnusable(new)
    var vault: String?
    if let file = new.file, try file.isThere() { vault = file.location.vaultFile }
    let folder = new.location.stateFolder
    let former = try? RememberedKeychain.read(in: folder)?.name
    let used = former ?? selection.unchosen
    StandardStreams.warn(try RememberedKeychain.write(keychain, vault: vault, in: folder))
    // A list that is full stays as it is; what isn't asked any more is said.
    if let used { try? Self.list(used, in: folder) }
    if keychain.kind.isShared {
      StandardStreams.say(
        "new items go to the keychain \(keychain.name) from now on, and everyone who uses it can read them")
      let earlier = former ?? KeychainKind.file.rawValue
      let back: Hint = "\(command: "llavero", "keychain", "use", earlier) changes that"
      StandardStreams.say("hint: \(back)")
    } else {
      let list = (try? KeychainList.read(in: folder))?.keychains.map(\.name) ?? []
      let lost = used.flatMap { $0 == keychain.name || list.contains($0) ? nil : $0 }
      let rest = "the others of the list are asked as before"
      saying.say(
        list.allSatisfy { $0 == keychain.name }
          ? "only the keychain \(keychain.name) is used from now on"
          : "new items go to the keychain \(keychain.name) from now on; \(rest)"
            + (lost.map { ", and the keychain \($0) isn't asked any more" } ?? "")
      )
    }
    if used != keychain.name { selection.tellWhatStaysBehind(in: used, instead: keychain.name) }
  }

  /// Lists the former keychain for new items if there is a list, so that it still answers. A list of that one alone
  /// counts for none, as 'keychain list' shows the same for both.
  private static func list(_ former: String, in stateFolder: String) throws(KeychainError) {
    if (try? KeychainList.read(in: stateFolder))?.keychains.isEmpty ?? true { return }
    let (_, durability) = try KeychainList.change(in: stateFolder) { list in
      if list.keychains.count == 1, list.keychains[0].isBuiltIn, list.remove(former) { return }
      guard !list.keychains.contains(where: { $0.name == former }),
        let keychain = list.keychain(named: former), !keychain.kind.isOfOtherMachine
      else { return }
      list.putFirst([keychain])
    }
    StandardStreams.warn(durability)
  }

  /// Uses the keychain forwarded to this machine, even if there is none at the moment.
  private func useForwarded(_ saying: SayingOptions) throws(KeychainError) {
    let folder = try VaultLocation().stateFolder
    let used = (try? RememberedKeychain.read(in: folder)?.name) ?? unchosen
    StandardStreams.warn(try RememberedKeychain.write(.forwarded, in: folder))
    tellWhatStaysBehind(in: used)
    do throws(KeychainError) {
      _ = try chooseOrExec().open()
      saying.say("only the forwarded keychain is used here from now on")
    } catch {
      let failure = error.failure
      StandardStreams.say("only a forwarded keychain is used here from now on; \(failure.message)")
      if let hint = failure.hint { StandardStreams.say("hint: \(hint)") }
    }
  }

  /// The keychain that is in use although nobody has chosen one; `nil` if that can't be found out.
  private var unchosen: String? {
    var selection = self
    selection.name = nil
    return (try? selection.chooseOrExec().open())?.choice.name
  }

  /// - Parameters:
  ///   - used: the keychain in use until now.
  ///   - new: the keychain to which they can be copied, if there is one.
  private func tellWhatStaysBehind(in used: String?, instead new: String? = nil) {
    guard let other = used.flatMap(KeychainKind.init), other.hasBuiltIn, !other.isOfOtherMachine else {
      return
    }
    // The search list still asks it.
    if let location = try? VaultLocation(), let list = try? KeychainList.read(in: location.stateFolder),
      list.keychains.contains(where: { $0.name == other.rawValue })
    {
      return
    }
    var selection = self
    selection.name = other.rawValue
    // Everything that 'migrate' copies.
    selection.includesOtherItems = true
    let name = other.managed.title
    guard let count = selection.count() else {
      return StandardStreams.say("how many items stay behind in the \(name) can't be told")
    }
    if count.total == 0 { return }
    StandardStreams.say("\(count.text) \(count.total == 1 ? "stays" : "stay") behind in the \(name)")
    guard let new else { return }
    let words = ["llavero", "migrate", "--from", other.rawValue, "--to", new]
    let hint: Hint =
      other == .secretService
      ? "\(commandOf: words + ["--listed"]) copies what 'llavero list' shows; without --listed, what all programs keep there"
      : "\(commandOf: words) copies \(count.total == 1 ? "it" : "them")"
    StandardStreams.say("hint: \(hint)")
  }

  /// `nil` if it is unknown.
  private func count() -> ItemCount? {
    guard let open = try? chooseOrExec().open() else { return nil }
    // If llavero serves it, its items are the encrypted file's.
    if open.choice.reason == .isServed, open.file != nil { return ItemCount(logins: 0) }
    return open.choice.kind.managed.count(in: open)
  }
}
