import Age
import Bytes
import Interchange
import Keychain
import ToolCommands

/// A vault of llavero in any place, or the output of `llavero export`: JSON Lines, optionally encrypted with age.
final class LlaveroFileSource: ImportSource {
  let name: String
  private let decryption: AgeDecryption

  /// - Parameter decryption: opens the file if it is encrypted.
  init(_ path: String, _ decryption: AgeDecryption) {
    name = path
    self.decryption = decryption
  }

  /// The maximum size, in bytes: that of an armored vault.
  static let limit = 96 << 20

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    var text = try FileContents.read(name, limit: Self.limit)
    if text.withUnsafeBytes({ FileEncoding.detect($0) }) != nil {
      text = try decryption.contents(of: text, at: name)
    }
    do throws(FormatFault) {
      return try text.withUnsafeBytes { (bytes) throws(FormatFault) in try FileFormat.llavero.read(bytes) }
    } catch {
      throw .failure("\(name) holds no items of llavero: \(error.reason)", status: .usage)
    }
  }

  var whyNotRemovable: KeychainError? { Self.isNotRemovable }

  func remove(_ logins: [FoundLogin]) throws(KeychainError) -> Removed { throw Self.isNotRemovable }

  private static let isNotRemovable = KeychainError(
    "llavero removes neither a vault nor an export", hint: "remove it by hand once you have its items",
    status: .usage)
}
