import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import ToolCommands

extension OpenBaoKind: ManagedKind {
  var addingOptions: AddingOptions { .settings }

  func status(of keychain: OpenKeychain) throws(KeychainError) -> KindStatus {
    // Counting its items would read them all, and each read is in the server's log.
    let readiness = keychain.own.probe()
    let choice = keychain.choice
    let sharing = SharingState(choice.keychain, readiness, at: keychain.location)
    let problem = readiness.reason
    if let problem, sharing.copiesSince == nil { throw problem }
    var rows = [
      ["keychain", "\(choice.name), in OpenBao, \(choice.reasonText)"], ["server", choice.keychain.place],
    ]
    if let problem { rows.append(["problem", problem.message]) }
    if let copies = sharing.copies { rows.append(["copies", copies]) }
    rows.append(["protection", "the server's policies; its operator can read everything"])
    return KindStatus(
      rows: rows, sharing: sharing, report: ["place": choice.keychain.place, "problem": problem?.message])
  }

  func describe(_ keychain: OpenKeychain, in row: inout KeychainRow) throws(KeychainError) {
    // Counting its items would read them all.
    let readiness = keychain.own.probe()
    row.sharing = SharingState(row.keychain, readiness, at: keychain.location)
    if let error = readiness.reason { throw error }
  }

  func examine(_ keychain: OpenKeychain, _ findings: inout [Finding]) {
    let readiness = keychain.own.probe()
    if let problem = readiness.reason { findings.append(Finding("server", nil, problem: problem)) }
    if let copies = SharingState(keychain.choice.keychain, readiness, at: keychain.location).copies {
      findings.append(Finding("copies", copies))
    }
  }

  var whyNotLockable: KeychainError {
    .failure(
      "the keychain is on a server, and has no passphrase",
      hint: "the server's login is in your own keychain, which you can lock", status: .usage)
  }

  // MARK: Adding

  func refuseUnusable(_ adding: AddKeychainCommand) throws(KeychainError) {
    if adding.identity != nil || adding.create {
      throw .failure("--identity and --create are for encrypted files", status: .usage)
    }
    if !adding.update {
      _ = try DescribedOpenBao(adding.name, at: adding.place, adding.settings, changing: nil)
    }
  }

  /// Adds a keychain in OpenBao or Vault, whether or not the server can be used: its login may be stored only later.
  func add(_ adding: AddKeychainCommand, _ location: VaultLocation) throws(KeychainError) {
    let (name, state) = (adding.name, location.stateFolder)
    let list = try KeychainList.read(in: state)
    let present = list.keychains.first { $0.name == name }
    if present?.kind == kind, !adding.update {
      throw .failure(
        "the list is not changed: there is one of that name already",
        hint: "with --update, its address and the settings that you give are changed", status: .usage)
    }
    if present == nil, adding.update {
      throw .failure(
        "there is no keychain '\(name)' in the list", hint: "see it with 'llavero keychain list'",
        status: .nothingMatched)
    }
    let described = try DescribedOpenBao(
      name, at: adding.place, adding.settings, changing: adding.update ? present : nil)
    guard adding.update, let former = present else {
      try adding.refuse(described.keychain, in: list)
      try adding.put(described.keychain, into: location)
      return adding.saying.say("the keychain \(name) is asked from now on, too")
    }
    let (isChanged, durability) = try KeychainList.change(in: state) {
      $0.replace(former, with: described.keychain)
    }
    StandardStreams.warn(durability)
    // Another process's change meanwhile stays.
    if !isChanged { return try add(adding, location) }
    if described.isAnother { AddKeychainCommand.forget(name, at: location) }
    adding.saying.say("the keychain \(name) has other settings now")
  }

  func tellIfUnusable(_ adding: AddKeychainCommand, _ location: VaultLocation) {
    let name = adding.name
    guard let list = try? KeychainList.read(in: location.stateFolder), let added = list.keychain(named: name),
      let error = adding.keychain.selection.obstacle(ofServerKeychain: added, at: location)
    else { return }
    let failure = error.failure
    StandardStreams.say("\(name) can't be used yet: \(failure.message)")
    let removing: Hint = "\(command: "llavero", "keychain", "remove", name) takes it out of the list"
    let hint: Hint =
      switch error.ofOpenBao {
      case .noLogin, .nobodyLoggedIn, .tokenRefused, .loginRefused: failure.hint ?? removing
      default: removing
      }
    StandardStreams.say("hint: \(hint)")
  }
}
