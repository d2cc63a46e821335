import Age
import EncryptedFile
import Glibc
import Keychain
import TestSupport

/// A separate folder for a vault, removed when this is released.
final class Place: Sendable {
  let location: VaultLocation
  private let folder = TemporaryFolder()

  init() {
    location = VaultLocation(
      vaultFolder: folder["data/llavero"], stateFolder: folder["state/llavero"])
  }

  /// A place with a vault of one item.
  static func filled() throws -> Place {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    return place
  }

  var path: String { folder.path }
  var vault: String { location.vaultFile }
  var identityFile: String { location.identityFile }
  var newIdentityFile: String { location.identityFile + ".new" }
  var lock: String { location.vaultFolder + "/lock" }
  var slots: String { location.vaultFolder + "/slots" }
  var localSlots: String { location.stateFolder + "/slots" }

  /// A keychain. The folder stays as long as it does.
  func keychain(
    passphrase: String? = nil, maximumWorkFactor: Int = 20, patience: Int = 60,
    onNotice: @escaping (EncryptedFileKeychain.Notice) -> Void = { _ in },
    clock: @escaping () -> Timestamp = { .now }
  ) -> EncryptedFileKeychain {
    EncryptedFileKeychain(
      at: location, passphrase: { attempt in attempt == 1 ? passphrase.map { Secret($0) } : nil },
      maximumWorkFactor: maximumWorkFactor, patience: patience,
      onNotice: { [self] notice in withExtendedLifetime(self) { onNotice(notice) } }, clock: clock
    ).withCheapPassphrases
  }

  /// The name of the copy of this machine's last write.
  var newestWriteName: String { location.newestWriteName }
  var newestWrite: String { location.vaultFolder + "/" + newestWriteName }

  /// Removes the vault's file and the copy of it.
  func loseVault() {
    unlink(vault)
    unlink(newestWrite)
  }

  /// Writes bytes into the vault's file, in place, and removes the copy of it.
  func overwriteVault(_ bytes: [UInt8]) throws {
    try put(bytes, into: vault)
    unlink(newestWrite)
  }

  /// Makes the two folders as the program does.
  func makeFolders() {
    folder.makeFolder("data/llavero")
    folder.makeFolder("state/llavero")
  }

  /// The plain identity of the vault.
  func identity() throws -> X25519Identity {
    let text = try contents(of: identityFile)
    return try text.withUnsafeBytes { try IdentityFile.parse($0) }[0]
  }

  /// The text that stock age would print.
  func plaintext() throws -> [UInt8] {
    try AgeFile.decrypt(try contents(of: vault), with: [try identity()])
  }

  /// The header of the vault.
  var header: Header {
    get throws { try contents(of: vault).withUnsafeBytes { try Header(parsing: $0) } }
  }

  /// Everything in the folder except the lock: paths with inode, mode, contents and, for files, their time.
  func everything() throws -> [String: FileFacts] {
    var all: [String: FileFacts] = [:]
    func visit(_ folder: String) throws {
      for name in names(in: folder) {
        let path = folder + "/" + name
        if path == lock { continue }
        let facts = try FileFacts(path)
        all[path] = facts
        if facts.isFolder { try visit(path) }
      }
    }
    try visit(path)
    return all
  }
}
