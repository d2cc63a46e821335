import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

/// The shared state of one run's commands: the global options, and the open keychains.
final class SecuritySession {
  /// `-q`: don't report results of commands.
  var isQuiet = false
  /// `-v`: print the name of each command before it runs.
  var isVerbose = false
  /// Whether the commands come from standard input.
  var isInteractive = false

  private var opened: [(operand: Operand, keychain: OpenKeychain)] = []

  enum Operand: Equatable {
    /// No name, `login`, or the name of the login keychain on a Mac.
    case inUse
    /// A built-in one, or one of the search list.
    case named(ListedKeychain)
  }

  /// - Throws: ``SecurityFailure`` for `errSecNoSuchKeychain`.
  func operand(_ word: SecurityWord?) throws(SecurityFailure) -> Operand {
    guard let word else { return .inUse }
    let name = word.text
    switch name {
    case "": throw .usage("the keychain has an empty name")
    case "login": return .inUse
    default: break
    }
    if ListedKeychain.isName(name), let known = try? ListedKeychain.named(name) { return .named(known) }
    let last = name.split(separator: "/").last ?? ""
    if last == "login.keychain" || last == "login.keychain-db" {
      let folder = name.dropLast(last.count)
      if folder.isEmpty || folder.hasSuffix("/Library/Keychains/") { return .inUse }
    }
    let location = try securing("SecKeychainOpen") { () throws(KeychainError) in try VaultLocation() }
    if last == "vault.age", name == location.vaultFile || isSameFile(name, location.vaultFile) {
      return .named(ListedKeychain(builtIn: .file))
    }
    let own = KeychainKind.builtInNames.joined(separator: ", ")
    throw .status(
      .noSuchKeychain, of: "SecKeychainOpen \(terminalText(name))",
      because: KeychainError(
        "there is no keychain '\(name)'",
        hint:
          "use login, \(prose: own), \(prose: location.vaultFile), or one that 'llavero keychain list' shows",
        status: .usage))
  }

  private func isSameFile(_ first: String, _ second: String) -> Bool {
    realPath(first).map { $0 == realPath(second) } ?? false
  }

  /// Opens a keychain. In interactive mode it stays open.
  ///
  /// - Throws: ``SecurityFailure`` if there is no such keychain, or it can't be opened.
  func keychain(_ word: SecurityWord?, readsSecrets: Bool = false) throws(SecurityFailure) -> OpenKeychain {
    let operand = try operand(word)
    if let known = opened.first(where: { $0.operand == operand }) { return known.keychain }
    var selection = KeychainSelection()
    if case .named(let keychain) = operand { selection.name = keychain.name }
    selection.readsSecrets = readsSecrets || isInteractive
    let keychain = try securing("SecKeychainOpen") { () throws(KeychainError) in
      try selection.chooseOrExec().open()
    }
    opened.append((operand, keychain))
    return keychain
  }
}

extension OpenKeychain {
  /// The name that `security` prints and accepts for an item's keychain. Of several keychains, all but the one for new
  /// items have their names in the list.
  func securityName(of item: Item) -> ByteString {
    if let name = item.keychain, name != choice.name { return ByteString(name) }
    return ByteString(file?.location.vaultFile ?? choice.name)
  }
}
