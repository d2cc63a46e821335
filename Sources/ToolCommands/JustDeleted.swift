import EncryptedFile
import Keychain

extension EncryptedFileKeychain {
  /// For how long it is remembered where a refused password was, in seconds: a person looks for the new one.
  private static let memory: Int64 = 3600

  /// The key of the item that was deleted last of those that would have answered; `nil` if that is too long ago.
  func justDeleted(of query: ItemQuery) throws(KeychainError) -> InternetPassword? {
    let now = Timestamp.now.seconds
    let last = try retiredItems(matching: query).first { $0.reason == .deleted }
    guard let last, now - last.retired.seconds < Self.memory, case .internetPassword(let key) = last.item.key
    else { return nil }
    return key
  }
}
