import Age
public import Keychain
import PrivateFiles

extension VaultHead {
  private static let keyedSinceName = Array("keyed_since".utf8)

  /// The first generation with the vault's present key: the member `keyed_since`. `nil` if the key was never changed.
  var keyedSince: Int64? {
    get { self[Self.keyedSinceName].flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }
    set { self[Self.keyedSinceName] = newValue.map { Array("\($0)".utf8) } }
  }
}

extension EncryptedFileKeychain {
  /// Earlier generations that the vault's present key doesn't open, but a former one may, because a change of the key
  /// was interrupted or made elsewhere. The next write removes those from before the change; ``compact()`` all.
  ///
  /// - Throws: as ``items(matching:)`` does.
  public func generationsOfFormerKeys() throws(KeychainError) -> [Generation] {
    guard let current = try newest(), let folder = try Generations(in: location.vaultFolder) else {
      return []
    }
    return try folder.list().filter { generation in
      guard let file = try? folder.file(generation), let (header, _) = try? VaultSnapshot.readHeader(file),
        let stanzas = try? VaultStanzas(header.stanzas, path: file.path), stanzas.uuid == current.stanzas.uuid
      else { return false }
      do throws(KeychainError) {
        return try unlocking.open(header, with: current.key) == nil
      } catch {
        return false
      }
    }
  }
}
