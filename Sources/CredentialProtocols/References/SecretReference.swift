import Bytes
public import Keychain

/// The name of a secret, to write in its place: on a command line, or in a file that others may read.
///
/// With `?field=NAME` it names another part of the item than the secret; see ``ReferencedField``.
///
/// `llavero://SERVICE` and `llavero://SERVICE/ACCOUNT` name generic passwords. `llavero+https://USER@HOST:PORT/PATH`,
/// with any scheme after the plus, names an internet password that belongs to no tool. Reserved bytes are written as
/// `%XX` (RFC 3986 section 2.1).
public struct SecretReference: Hashable, Sendable {
  /// The query for the item.
  public let query: ItemQuery

  /// The part of the item.
  public let field: ReferencedField

  /// Whether a text looks like a reference, valid or not.
  public static func isMeant(by text: UnsafeRawBufferPointer) -> Bool {
    begins(text, "llavero:") || begins(text, "llavero+")
  }

  /// Parses a reference.
  ///
  /// - Throws: ``RequestFault/unusableReference``, also for a reference with a password, which doesn't belong there,
  ///   or a fragment, which has no meaning.
  public init(parsing whole: UnsafeRawBufferPointer) throws(KeychainError) {
    let end = whole.firstIndex(of: UInt8(ascii: "?")) ?? whole.endIndex
    let text = UnsafeRawBufferPointer(rebasing: whole[..<end])
    guard Self.isMeant(by: text), !whole.contains(UInt8(ascii: "#")),
      let field = end < whole.endIndex ? ReferencedField(query: whole[(end + 1)...]) : .secret
    else { throw .request(.unusableReference) }
    self.field = field
    do throws(KeychainError) {
      if Self.begins(text, "llavero+") {
        query = try Self.internetPassword(UnsafeRawBufferPointer(rebasing: text["llavero+".utf8.count...]))
      } else {
        query = try Self.genericPassword(text)
      }
    } catch {
      throw .request(.unusableReference)
    }
  }

  private static func internetPassword(_ text: UnsafeRawBufferPointer) throws(KeychainError) -> ItemQuery {
    let url = try CredentialURL(parsing: text)
    switch url.password {
    case .some: throw .request(.unusableReference)
    case .none: break
    }
    guard url.hasScheme, let host = HostAndPort(parsing: url.host), !host.server.isEmpty else {
      throw .request(.unusableReference)
    }
    return .internetPassword(
      try InternetPasswordQuery(
        protocol: url.protocol, server: host.server, port: host.port, account: url.account, path: url.path))
  }

  private static func genericPassword(_ text: UnsafeRawBufferPointer) throws(KeychainError) -> ItemQuery {
    // A user and a password don't belong here, and a service may contain an @ or a colon.
    let scheme = "llavero://"
    guard begins(text, "llavero://") else { throw .request(.unusableReference) }
    let parts = text[scheme.utf8.count...].split(separator: 0x2f, omittingEmptySubsequences: false)
    guard 1...2 ~= parts.count else { throw .request(.unusableReference) }
    let service = try CredentialURL.decode(parts[0])
    let account = parts.count > 1 && !parts[1].isEmpty ? try CredentialURL.decode(parts[1]) : nil
    return .genericPassword(try GenericPasswordQuery(service: service, account: account))
  }

  private static func begins(_ text: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
    let count = prefix.utf8CodeUnitCount
    return text.count >= count && UnsafeRawBufferPointer(rebasing: text[..<count]) == prefix
  }
}

extension Item.Key {
  /// The reference that names the item; `nil` if none can, as for one that belongs to a tool.
  package var asReference: String? {
    switch self {
    case .internetPassword(let key):
      if key.securityDomain != nil || key.protocol.isEmpty { return nil }
      return key.url(withAccount: true).map { "llavero+" + $0 }
    case .genericPassword(let key):
      let parts = [key.service] + (key.account.map { [$0] } ?? [])
      return "llavero://" + parts.map { PercentEncoding.text($0, keeping: "+") }.joined(separator: "/")
    case .cryptographic, .secretService: return nil
    }
  }
}
