import Bytes
package import Keychain
package import PrivateFiles
package import SignIn

/// The file `exchanges` of the state folder: the token exchanges that a person has set up on this machine.
///
/// An exchange sends the contents of a file or variable of this machine to a server. Its settings are in a keychain,
/// where others may be able to write: the members of a shared one, or programs on the session's bus. So only exchanges
/// set up here are done here.
///
/// Each line is a JSON object with the place and everything about the exchange, without secrets.
package struct ApprovedExchanges {
  private let stateFolder: String

  private static let name = "exchanges"
  private static let lockName = "exchanges.lock"
  /// In bytes. The oldest lines give way.
  private static let maximumSize = 65_536
  /// How long to wait for other writers, in seconds.
  private static let patience = 10

  package init(in stateFolder: String) {
    self.stateFolder = stateFolder
  }

  /// Whether this very exchange was set up here.
  ///
  /// - Parameter url: the place of the tokens, from `InternetPassword.url(withAccount:)`.
  /// - Throws: ``KeychainError`` if the file can't be read.
  func contains(_ exchange: borrowing TokenExchange, for url: String) throws(KeychainError) -> Bool {
    let wanted = Self.line(exchange, url)
    return try lines().contains { $0 == wanted }
  }

  /// Notes that a person has set up an exchange here.
  ///
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
    var approved = Approved(place: url, exchange: exchange.copy())
    return approved.encode().withUnsafeBytes { Array($0) }
  }

  private struct Approved: ~Copyable, JSONMessage {
    var place: String
    var exchange: TokenExchange

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("place", &place)
      try exchange.members(&members)
    }
  }
}
