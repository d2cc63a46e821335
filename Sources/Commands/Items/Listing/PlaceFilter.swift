import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// The items that `llavero list` shows for a text: those of a place, and those with such a name.
struct PlaceFilter {
  private let text: String
  /// `nil` if the text can only be a name.
  private let place: ListedPlace?
  private var takesParts = false

  /// - Throws: ``KeychainError`` for a URL that can't be understood or has a password in it.
  init(_ text: String) throws(KeychainError) {
    self.text = text
    do throws(KeychainError) {
      place = try ListedPlace(text)
    } catch {
      if error == NamedPlace.passwordInURL || text.hasPart("://") { throw error }
      place = nil
    }
  }

  func contains(_ item: Item) -> Bool {
    if place?.contains(item) ?? false { return true }
    return item.names.contains { takesParts ? $0.lowercased().hasPart(text.lowercased()) : $0 == text }
  }

  /// The same with parts of names; `nil` for a URL, which is meant as it is.
  var ofParts: PlaceFilter? {
    if text.isEmpty || text.hasPart("://") { return nil }
    var filter = self
    filter.takesParts = true
    return filter
  }
}

/// A place by its URL: a server, a protocol, a port and an account as far as they are given, and a path with the paths
/// above and below it.
private struct ListedPlace {
  private let `protocol`: ByteString?
  private let host: HostAndPort
  private let account: ByteString?
  private let path: ByteString?

  /// - Throws: ``KeychainError`` if the URL is invalid.
  init(_ url: String) throws(KeychainError) {
    let text = Secret(url)
    let place = try text.withUnsafeBytes { (bytes) throws(KeychainError) in
      try CredentialURL(parsing: bytes, assuming: "any")
    }
    let hasPassword =
      switch place.password {
      case .none: false
      case .some: true
      }
    if hasPassword { throw NamedPlace.passwordInURL }
    guard let host = HostAndPort(parsing: place.host), !host.server.isEmpty else {
      throw KeychainError.request(.unusableURL(.badHost))
    }
    `protocol` = url.hasPart("://") ? place.protocol : nil
    self.host = host
    account = place.account
    path = place.path
  }

  func contains(_ item: Item) -> Bool {
    guard case .internetPassword(let key) = item.key, key.isOn(host.server),
      account == nil || key.account == account,
      `protocol`.map({ key.isReached(by: $0, at: host.port) })
        ?? (host.port == nil || key.effectivePort == host.port)
    else { return false }
    guard let path, let itemPath = key.path else { return true }
    return itemPath.isWholeSegmentPrefix(of: path) || path.isWholeSegmentPrefix(of: itemPath)
  }
}
