import Keychain
import PrivateFiles

/// The folder of what belongs to this machine alone, opened when it is first looked into and then once for all that
/// one look at the vault needs of it.
final class StateFolder {
  private let path: String
  private var folder: Folder?
  /// The vault's path.
  let vaultFile: String

  init(_ location: VaultLocation) {
    path = location.stateFolder
    vaultFile = location.vaultFile
  }

  /// Lends the folder; `nil` if there is none, as it also is where `body` gives that.
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
