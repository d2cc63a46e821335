import Age
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct AgeDecryption {
  /// `--identity`: the file of identities; `nil` tries those found on this machine.
  let identity: String?
  /// The identity files to try otherwise, if they exist.
  let usual: [String]
  /// Where `llavero init --start-over` has put the keys of former vaults.
  let stateFolder: String
  let passphrases: (_ path: String, _ typed: PassphraseSources.TypedSecret) -> PassphraseSources

  /// - Throws: ``KeychainError`` if no identity or passphrase opens the file, or it is damaged.
  func contents(of file: borrowing Secret, at path: String) throws(KeychainError) -> Secret {
    if isForPassphrase(file) { return try withPassphrase(file, at: path) }
    if let contents = try Self.decrypt(file, at: path, with: try identities()) { return contents }
    let slots = SlotsOfFile(file, at: path, stateFolder: stateFolder)
    if let slots, let key = try identity(from: slots, at: path),
      let contents = try Self.decrypt(file, at: path, with: [key])
    {
      return contents
    }
    let isTyped = slots?.typedKinds.isEmpty == false
    let other: Hint =
      isTyped
      ? "give its passphrase or recovery code with --passphrase-fd, or on a terminal"
      : "name the file of its identity with --identity"
    let typing: Hint? = isTyped ? "without --identity you are asked for its passphrase or recovery code" : nil
    throw .failure(
      "\(path) is encrypted for a key that isn't here",
      hint: identity == nil ? hint(for: path, slots) ?? other : typing, status: .keychain)
  }

  /// The identity of a vault that one of its slots opens; `nil` if none does. Nobody is asked beside a named identity.
  private func identity(from slots: SlotsOfFile, at path: String) throws(KeychainError) -> (any Identity)? {
    let typed: PassphraseSources.TypedSecret =
      switch slots.typedKinds {
      case [.passphrase]: .passphrase
      case [.recovery]: .recoveryCode
      default: .either
      }
    let sources = passphrases(path, typed)
    do throws(KeychainError) {
      return try slots.identity(
        openedBy: identity.map { [$0] } ?? usual, passphrase: identity == nil ? sources.source : { _ in nil },
        onMistypedCode: sources.noteMistypedCode)
    } catch .wrongPassphrase {
      throw Self.wrong(typed, path, hint: hint(for: path, slots))
    } catch .promptDismissed {
      return nil
    }
  }

  private static func wrong(
    _ typed: PassphraseSources.TypedSecret, _ path: String, hint: Hint? = nil
  ) -> KeychainError {
    let what =
      switch typed {
      case .passphrase: "that passphrase does"
      case .recoveryCode: "that recovery code does"
      case .either: "what was given does"
      }
    return .failure("\(what) not open \(path)", hint: hint, status: .keychain)
  }

  /// Says which file to name, if some that may open it are known.
  private func hint(for path: String, _ slots: SlotsOfFile?) -> Hint? {
    let beside = slotsBeside(path).filter { slots?.have(copy: $0) != true }
    let files = (beside + formerKeys).prefix(Self.mostNamed)
    if files.isEmpty { return nil }
    var hint: Hint = "name the file of its identity; perhaps \(words: "--identity", files[0])"
    for file in files.dropFirst() { hint = "\(hint) or \(words: "--identity", file)" }
    return hint
  }

  private static let mostNamed = 5

  /// The copies of a vault's slots that a passphrase or a recovery code opens.
  private func slotsBeside(_ path: String) -> [String] {
    let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let folder = parent + "slots"
    return FolderFiles.names(in: folder, endingWith: ".age").map { "\(folder)/\($0).age" }.filter { file in
      guard let slot = try? FileContents.read(file, limit: IdentityFile.maximumSize) else { return false }
      return isForPassphrase(slot)
    }
  }

  private var formerKeys: [String] {
    FolderFiles.names(in: stateFolder, endingWith: ".txt").map(\.description)
      .filter { $0.hasPrefix("former-") && $0.hasSuffix("/identity") }.map { "\(stateFolder)/\($0).txt" }
  }

  private func identities() throws(KeychainError) -> [any Identity] {
    if let identity { return try identities(inFile: identity, openedBy: usual) }
    return usualIdentities(usual)
  }

  private func usualIdentities(_ files: [String]) -> [any Identity] {
    files.flatMap { (try? identities(inFile: $0, openedBy: [])) ?? [] }
  }

  /// The identities in a file, which may itself be encrypted with a passphrase or for a key, as a slot's copy beside a
  /// vault is; none if nothing opens it.
  ///
  /// - Parameter keys: the files of the keys that may open the file.
  private func identities(
    inFile path: String, openedBy keys: [String]
  ) throws(KeychainError) -> [any Identity] {
    let text = try FileContents.read(path, limit: IdentityFile.maximumSize)
    if text.withUnsafeBytes({ FileEncoding.detect($0) }) == nil {
      return try Self.identities(in: text, at: path)
    }
    let opened =
      isForPassphrase(text)
      ? try withPassphrase(text, at: path)
      : try Self.decrypt(text, at: path, with: usualIdentities(keys))
    guard let opened else { return [] }
    return try Self.identities(in: opened, at: path)
  }

  private static func identities(in text: borrowing Secret, at path: String) throws(KeychainError)
    -> [any Identity]
  {
    do throws(AgeError) {
      return try text.withUnsafeBytes { (bytes) throws(AgeError) in
        try IdentityFile.parse(bytes, plugins: PluginSettings())
      }
    } catch {
      throw KeychainError(error, at: path)
    }
  }

  private func isForPassphrase(_ file: borrowing Secret) -> Bool {
    file.withUnsafeBytes { bytes in
      let binary = (try? Armor.decode(bytes)) ?? Array(bytes.prefix(4096))
      let text = String(decoding: binary.prefix(64), as: UTF8.self)
      return text.hasPart("\n-> scrypt ")
    }
  }

  private func withPassphrase(_ file: borrowing Secret, at path: String) throws(KeychainError) -> Secret {
    let source = passphrases(path, .passphrase).source
    var attempt = 1
    while let passphrase = try source(attempt) {
      let identity: ScryptIdentity
      do throws(AgeError) {
        identity = try passphrase.withUnsafeBytes { (bytes) throws(AgeError) in
          try ScryptIdentity(passphrase: bytes)
        }
      } catch {
        throw KeychainError(error, at: path)
      }
      if let contents = try Self.decrypt(file, at: path, with: [identity]) { return contents }
      attempt += 1
    }
    if attempt > 1 { throw Self.wrong(.passphrase, path) }
    throw .failure(
      "\(path) is encrypted with a passphrase, and \(NobodyAsked.text) for it",
      hint: "give it with --passphrase-fd", status: .keychain)
  }

  /// - Returns: `nil` if no identity opens the file.
  private static func decrypt(
    _ file: borrowing Secret, at path: String, with identities: [any Identity]
  ) throws(KeychainError) -> Secret? {
    if identities.isEmpty { return nil }
    var contents = Secret(capacity: file.count)
    do throws(AgeError) {
      try file.withUnsafeBytes { (bytes) throws(AgeError) in
        try AgeFile.decrypt(bytes, with: identities) { contents.append($0) }
      }
      return contents
    } catch .noMatch {
      return nil
    } catch {
      throw KeychainError(error, at: path)
    }
  }
}

extension KeychainError {
  init(_ error: AgeError, at path: String) {
    switch error {
    case .header(.notAge), .header(.unsupportedVersion):
      self.init("\(path) is not an age file that llavero can read", status: .usage)
    case .header, .headerMAC, .payload, .armor, .plugin(_, .wrongKey):
      self.init("\(path) is damaged", status: .keychain)
    case .workFactorTooHigh(let logN, let limit):
      self.init("\(path) asks for more work than allowed: 2^\(logN), at most 2^\(limit)", status: .keychain)
    case .outOfMemory:
      self.init("there is not enough memory to open \(path)", status: .keychain)
    case .emptyPassphrase:
      self.init("the passphrase is empty", status: .usage)
    case .invalidKey, .invalidKeyLine, .noKeys, .keyFileTooLarge:
      self.init("that is not an age key, or one that llavero can't use", status: .usage)
    case .noRecipients, .incompatibleRecipients:
      self.init("these recipients can't be used together", status: .usage)
    case .plugin(let name, let fault): self = .slot(.pluginFailed(name: name, .init(fault)))
    case .read(let number):
      self.init("cannot read \(path): \(errorText(number))", status: .usage)
    case .noMatch, .identityGone, .workFactorTooLow:
      self.init("\(path) can't be opened with that", status: .keychain)
    }
  }
}
