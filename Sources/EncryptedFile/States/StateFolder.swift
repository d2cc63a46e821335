import Keychain
import PrivateFiles

/// The folder of this machine's own files, opened at the first use, once for one look at the vault.
final class StateFolder {
  private let path: String
  private var folder: Folder?
  let vaultFile: String

  init(_ location: VaultLocation) {
    path = location.stateFolder
    vaultFile = location.vaultFile
  }

  /// Lends the folder. Returns `nil` if there is none, or if `body` does.
  ///
  /// - Throws: as ``PrivateFiles/Folder/init(opening:)`` does; what `body` throws.
  func lending<Result: ~Copyable>(
    _ body: (borrowing Folder) throws(KeychainError) -> Result?
  ) throws(KeychainError) -> Result? {
    if folder == nil { folder = try Folder(opening: path) }
    switch folder {
    case .some(let folder): return try body(folder)
    case .none: return nil
    }
  }
}
