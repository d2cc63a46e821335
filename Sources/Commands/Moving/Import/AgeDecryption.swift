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
  let passphrases: (_ path: String) -> PassphraseSource

  /// - Throws: ``KeychainError`` if no identity or passphrase opens the file, or it is damaged.
  func contents(of file: borrowing Secret, at path: String) throws(KeychainError) -> Secret {
    var unreadable: KeychainError?
    do throws(AgeError) {
      if isForPassphrase(file) { return try withPassphrase(file, at: path) }
      return try Self.decrypt(file, with: try identities(&unreadable))
    } catch .noMatch {
      let slots = SlotsOfFile(file, at: path, stateFolder: stateFolder)
      if let slots, let contents = try open(file, at: path, through: slots) { return contents }
      let typing: Hint? =
        slots?.areTyped == true ? "without --identity you are asked for its passphrase or recovery code" : nil
      throw .failure(
        "\(path) is encrypted for a key that isn't here",
        hint: identity == nil ? hint(for: path) : typing, status: .keychain)
    } catch {
      throw unreadable ?? KeychainError(error, at: path)
    }
  }

  /// The contents of a vault that one of its slots opens; `nil` if none does. Nobody is asked beside a named identity.
  private func open(
    _ file: borrowing Secret, at path: String, through slots: SlotsOfFile
  ) throws(KeychainError) -> Secret? {
    let key = try slots.identity(
      openedBy: identity.map { [$0] } ?? usual, passphrase: identity == nil ? passphrases(path) : { _ in nil }
    )
    guard let key else { return nil }
    do throws(AgeError) {
      return try Self.decrypt(file, with: [key])
    } catch {
      throw KeychainError(error, at: path)
    }
  }

  /// Says which file to name, if some that may open it are known.
  private func hint(for path: String) -> Hint {
    let files = (slotsBeside(path) + formerKeys).prefix(Self.mostNamed)
    if files.isEmpty { return "name the file of its identity with --identity" }
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

  private func identities(_ unreadable: inout KeychainError?) throws(AgeError) -> [any Identity] {
    if let identity { return try identities(inFile: identity, openedBy: usual, &unreadable) }
    return usualIdentities(usual, &unreadable)
  }

  private func usualIdentities(_ files: [String], _ unreadable: inout KeychainError?) -> [any Identity] {
    var found: [any Identity] = []
    for path in files { found += (try? identities(inFile: path, openedBy: [], &unreadable)) ?? [] }
    return found
  }

  /// The identities in a file, which may itself be encrypted with a passphrase or for a key, as a slot's copy beside a
  /// vault is.
  ///
  /// - Parameters:
  ///   - keys: the files of the keys that may open the file.
  ///   - unreadable: set to what is wrong with the file if it can't be read.
  private func identities(
    inFile path: String, openedBy keys: [String], _ unreadable: inout KeychainError?
  ) throws(AgeError) -> [any Identity] {
    let text: Secret
    do throws(KeychainError) {
      text = try FileContents.read(path, limit: IdentityFile.maximumSize)
    } catch {
      unreadable = error
      throw .read(errno: 2)
    }
    if text.withUnsafeBytes({ FileEncoding.detect($0) }) == nil {
      return try text.withUnsafeBytes { (bytes) throws(AgeError) in
        try IdentityFile.parse(bytes, plugins: PluginSettings())
      }
    }
    var others: KeychainError?
    let opened: Secret
    if isForPassphrase(text) {
      opened = try withPassphrase(text, at: path)
    } else {
      opened = try Self.decrypt(text, with: usualIdentities(keys, &others))
    }
    return try opened.withUnsafeBytes { (bytes) throws(AgeError) in
      try IdentityFile.parse(bytes, plugins: PluginSettings())
    }
  }

  private func isForPassphrase(_ file: borrowing Secret) -> Bool {
    file.withUnsafeBytes { bytes in
      let binary = (try? Armor.decode(bytes)) ?? Array(bytes.prefix(4096))
      let text = String(decoding: binary.prefix(64), as: UTF8.self)
      return text.hasPart("\n-> scrypt ")
    }
  }

  private func withPassphrase(_ file: borrowing Secret, at path: String) throws(AgeError) -> Secret {
    let source = passphrases(path)
    var attempt = 1
    while true {
      guard let passphrase = (try? source(attempt)) ?? nil else { throw .noMatch }
      do throws(AgeError) {
        let identity = try passphrase.withUnsafeBytes { (bytes) throws(AgeError) in
          try ScryptIdentity(passphrase: bytes)
        }
        return try Self.decrypt(file, with: [identity])
      } catch .noMatch {
        attempt += 1
      }
    }
  }

  private static func decrypt(
    _ file: borrowing Secret, with identities: [any Identity]
  ) throws(AgeError) -> Secret {
    if identities.isEmpty { throw .noMatch }
    var contents = Secret(capacity: file.count)
    try file.withUnsafeBytes { (bytes) throws(AgeError) in
      try AgeFile.decrypt(bytes, with: identities) { contents.append($0) }
    }
    return contents
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
