import EncryptedFile
import Glibc
import PrivateFiles
import Keychain
import KeychainChoice
import Terminals
import SecurityCodes
import ToolCommands

/// What the commands of one run share: the global options, and the keychains that were opened.
final class SecuritySession {
  /// `-q`: whether nothing is said of what commands return.
  var isQuiet = false
  /// `-v`: whether each command is named before it is carried out.
  var isVerbose = false
  /// Whether the commands come from standard input.
  var isInteractive = false

  private var opened: [(operand: Operand, keychain: OpenKeychain)] = []

  /// What names a keychain.
  enum Operand: Equatable {
    /// The one in use: no name, `login`, or what the login keychain is called on a Mac.
    case inUse
    case kind(KeychainKind)
  }

  /// What a name stands for.
  ///
  /// - Throws: ``SecurityFailure`` for `errSecNoSuchKeychain`.
  func operand(_ word: SecurityWord?) throws(SecurityFailure) -> Operand {
    guard let word else { return .inUse }
    let name = word.text
    switch name {
    case "": throw .usage("the keychain has an empty name")
    case "login": return .inUse
    case "file": return .kind(.file)
    case "secret-service": return .kind(.secretService)
    default: break
    }
    let last = name.split(separator: "/").last ?? ""
    if last == "login.keychain" || last == "login.keychain-db" {
      let folder = name.dropLast(last.count)
      if folder.isEmpty || folder.hasSuffix("/Library/Keychains/") { return .inUse }
    }
    let location = try securing("SecKeychainOpen") { () throws(KeychainError) in try VaultLocation() }
    if last == "vault.age", name == location.vaultFile || isSameFile(name, location.vaultFile) {
      return .kind(.file)
    }
    throw .status(
      .noSuchKeychain, of: "SecKeychainOpen \(terminalText(name))",
      because: Failure(
        "there is no keychain '\(name)'",
        hint: "there are login, file and secret-service, and \(prose: location.vaultFile)", status: .usage))
  }

  private func isSameFile(_ first: String, _ second: String) -> Bool {
    realPath(first).map { $0 == realPath(second) } ?? false
  }

  /// The keychain that a name stands for. In interactive mode it stays open.
  ///
  /// - Parameter readsSecrets: whether the command is about secrets.
  /// - Throws: ``SecurityFailure`` if there is no such keychain, or it can't be opened.
  func keychain(_ word: SecurityWord?, readsSecrets: Bool = false) throws(SecurityFailure) -> OpenKeychain {
    let operand = try operand(word)
    if let known = opened.first(where: { $0.operand == operand }) { return known.keychain }
    return try open(operand) { $0.readsSecrets = readsSecrets || isInteractive }
  }

  /// Opens a keychain in a manner of its own, which holds for later commands, too.
  func open(
    _ operand: Operand, _ setting: (inout KeychainSelection) -> Void
  ) throws(SecurityFailure) -> OpenKeychain {
    let selection = selection(operand, setting)
    let keychain = try securing("SecKeychainOpen") { () throws(Failure) in try selection.choose().open() }
    opened.removeAll { $0.operand == operand }
    opened.append((operand, keychain))
    return keychain
  }

  /// Looks at a keychain without unlocking it, or asking anybody.
  func look(_ word: SecurityWord?) throws(SecurityFailure) -> OpenKeychain {
    let selection = selection(try operand(word)) { selection in
      selection.mayAsk = false
      selection.mayPrompt = false
      selection.renewsUnlock = false
      selection.mayRunPrograms = false
    }
    return try securing("SecKeychainOpen") { () throws(Failure) in try selection.choose().open() }
  }

  /// Opens them anew when they are asked for next, as after locking.
  func forgetKeychains() { opened = [] }

  /// How a keychain is chosen.
  func selection(
    _ operand: Operand, _ setting: (inout KeychainSelection) -> Void = { _ in }
  ) -> KeychainSelection {
    var selection = KeychainSelection()
    if case .kind(let kind) = operand { selection.name = kind.rawValue }
    setting(&selection)
    return selection
  }
}

extension OpenKeychain {
  /// Its name as `security` prints it, by which it can be named.
  var securityName: ByteString {
    switch store {
    case .file(let file): ByteString(file.location.vaultFile)
    case .secretService: ByteString(KeychainKind.secretService.rawValue)
    }
  }
}
