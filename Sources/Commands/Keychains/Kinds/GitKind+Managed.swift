import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

extension GitKind: VaultKind {
  var addingOptions: AddingOptions { .members }

  func firstRows(_ keychain: OpenKeychain, _ sharing: SharingState?) -> [[String]] {
    let listed = keychain.choice.keychain
    let branch = listed.value(of: ListedKeychain.branchOption).map { ", branch \($0)" } ?? ""
    return [
      ["keychain", "\(listed.name), shared through git, \(keychain.choice.reasonText)"],
      ["repository", listed.shownPlace + branch], ["copy", Self.file(of: keychain).location.vaultFile],
    ]
      + [("exchange", sharing?.exchange), ("not sent yet", sharing?.unsent)].compactMap { (what, text) in
        text.map { [what, $0] }
      }
  }

  func protectionRows(
    _ location: VaultLocation, _ summary: VaultSummary, _ choice: KeychainChoice, _ state: [[String]]
  ) -> [[String]] {
    [["protection", "a key of each member's; see 'llavero keychain member list \(choice.name)'"]] + state
  }

  func sharing(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, isOpen: Bool) -> SharingState? {
    SharingState(listed, file, isOpen: isOpen)
  }

  func refuseLocked(_ file: EncryptedFileKeychain) throws(KeychainError) {
    // Members are asked for nothing, so something is missing.
    _ = try file.items(matching: .all)
  }

  func examineSharing(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, _ findings: inout [Finding]) {
    findings.append(Finding("copy", file.location.vaultFile))
    let note = SyncNote(in: file.location.stateFolder)
    findings.append(Finding("exchange", SharingState(listed, file, isOpen: false).exchange))
    if !note.withFormerKey.isEmpty {
      findings.append(
        Finding("no members", note.withFormerKey.joined(separator: "; ") + " (added with a former key)"))
    }
    if note.overridden > 0 {
      findings.append(
        Finding(
          "overridden by others",
          "\(countText(note.overridden, "change")) made here; see 'llavero undelete --list --keychain \(listed.name)'"
        ))
    }
  }

  // MARK: Adding

  func refuseUnusable(_ adding: AddKeychainCommand) throws(KeychainError) {
    if adding.create {
      throw .failure("a keychain of the kind git is made if the repository has none", status: .usage)
    }
    _ = try described(adding).usablePlace()
  }

  func add(_ adding: AddKeychainCommand, _ location: VaultLocation) throws(KeychainError) {
    let list = try KeychainList.read(in: location.stateFolder)
    try adding.refuse(ListedKeychain(adding.name, kind, at: adding.place), in: list)
    try described(adding).run(beside: list) { (added) throws(KeychainError) in
      try adding.put(added, into: location)
    }
  }

  private func described(_ adding: AddKeychainCommand) -> AddingGitKeychain {
    AddingGitKeychain(
      name: adding.name, remote: adding.place, identity: adding.identity, branch: adding.branch,
      label: adding.label, saying: adding.saying)
  }
}
