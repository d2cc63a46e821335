import Bytes
package import Keychain
package import PrivateFiles
package import SignIn

/// The file `exchanges` of the state folder: the exchanges of tokens that a person has set up on this machine.
///
/// An exchange reads a file or a variable of this machine, and sends what is in it to a server. What says so is in a
/// keychain, where others may be able to write: the members of a shared one, or programs on the session's bus. So only
/// what was set up here is done here.
///
/// Each line is a JSON object with the place and everything that is known about the exchange. There is no secret in it.
package struct ApprovedExchanges {
  private let stateFolder: String

  private static let name = "exchanges"
  private static let lockName = "exchanges.lock"
  /// The largest file, in bytes. The oldest lines give way.
  private static let maximumSize = 65_536
  /// For how long other writers are waited for, in seconds.
  private static let patience = 10

  package init(in stateFolder: String) {
    self.stateFolder = stateFolder
  }

  /// Whether this very exchange was set up here.
  ///
  /// - Parameter url: the place of the tokens, as `InternetPassword.url(withAccount:)` has it.
  /// - Throws: ``KeychainError`` if the file can't be read.
  func contains(_ exchange: borrowing TokenExchange, for url: String) throws(KeychainError) -> Bool {
    let wanted = Self.line(exchange, url)
    return try lines().contains { $0 == wanted }
  }

  /// Notes that a person has set up an exchange here.
  ///
  /// - Returns: whether that survives a loss of power.
  /// - Throws: ``KeychainError`` if that can't be written.
  package func approve(
    _ exchange: borrowing TokenExchange, for url: String
  ) throws(KeychainError) -> Durability {
    let line = Self.line(exchange, url)
    let folder = try Folder(creating: stateFolder)
    let lock = try FileLock(Self.lockName, in: folder, patience: Self.patience) {}
    defer { withExtendedLifetime(lock) {} }
    var kept = try lines().filter { $0 != line } + [line]
    while kept.count > 1, kept.reduce(0, { $0 + $1.count + 1 }) > Self.maximumSize { kept.removeFirst() }
    var text: [UInt8] = []
    for line in kept { text += line + [0x0a] }
    return try text.lendingBytes { (text) throws(KeychainError) in try folder.replace(Self.name, with: text) }
  }

  private func lines() throws(KeychainError) -> [[UInt8]] {
    guard let folder = try Folder(opening: stateFolder), let file = try folder.file(Self.name) else {
      return []
    }
    return try file.contents(limit: Self.maximumSize).withUnsafeBytes { text in
      text.split(separator: 0x0a).map { Array($0) }
    }
  }

  private static func line(_ exchange: borrowing TokenExchange, _ url: String) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("place", ByteString(url))
    exchange.write(to: &json)
    json.endObject()
    return json.finish().withUnsafeBytes { Array($0) }
  }
}
