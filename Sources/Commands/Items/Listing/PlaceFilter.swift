import Bytes
import CredentialProtocols
import Interchange
import Keychain
import ToolCommands

/// The items that `llavero list` shows for a text: those of a place, or those with such a name.
struct PlaceFilter {
  private let text: String
  /// `nil` if the text can only be a name.
  private let place: ListedPlace?
  private var takes = Taking.place
  /// Whether it may be meant as a place and as a name alike, because no address of a server looks so.
  private let isBareName: Bool

  private enum Taking { case place, names, parts, remarks }

  /// - Throws: ``KeychainError`` for a URL that can't be understood or has a password in it.
  init(_ text: String) throws(KeychainError) {
    self.text = text
    isBareName = !text.isEmpty && !text.hasPart("://") && !ByteString(text).isAddressOfServer
    do throws(KeychainError) {
      place = try ListedPlace(text)
    } catch {
      if error == NamedPlace.passwordInURL || text.hasPart("://") { throw error }
      place = nil
    }
  }

  func contains(_ item: Item) -> Bool {
    switch takes {
    case .place: place?.contains(item) ?? false || isBareName && item.isCalled(text)
    case .names: item.isCalled(text)
    case .parts: item.isCalled(byPart: text)
    case .remarks: item.isNoted(byPart: text)
    }
  }

  /// What the text means, one after the other if nothing is there: a place, a name, a part of one, and a part of an
  /// account or a remark, which a list also shows. A URL is meant as it is.
  func meanings(includingParts: Bool) -> [PlaceFilter] {
    if text.isEmpty || text.hasPart("://") { return [self] }
    let further: [Taking] = includingParts ? [.names, .parts, .remarks] : [.names]
    return [self]
      + further.map { taking in
        var filter = self
        filter.takes = taking
        return filter
      }
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
      account == nil || key.account == account, key.isReached(by: `protocol`, at: host.port)
    else { return false }
    guard let path, let itemPath = key.path else { return true }
    return itemPath.isWholeSegmentPrefix(of: path) || path.isWholeSegmentPrefix(of: itemPath)
  }
}
