import Bytes
import CredentialProtocols
import Keychain

extension ExportFormat {
  /// A line of a netrc file. The format has no ports, paths or schemes.
  public static let netrc = {
    var format = ExportFormat(
      "netrc", "netrc for curl and others",
      frame: Frame(beginning: { _ in ByteString("\(NetrcText.exportMark)") }), write: netrcLine)
    format.arrange = arrangedForNetrc
    return format
  }()

  @Sendable
  private static func netrcLine(
    _ item: Item, _ credential: borrowing Credential, _ fields: inout ExportedFields, _ text: inout Secret
  ) throws(Omission) {
    guard item.isForNetrc, case .internetPassword(let key) = item.key, let server = key.server,
      let account = key.account, credential.authenticationScheme == nil, !credential.isExpired(at: .now)
    else { throw .otherKind }
    fields.take(all: "protocol", "server", "port", "account")
    let isSpeakable = NetrcText.appendLine(
      server: server, account: account, credential.secret, protocol: key.protocol.lowercased, to: &text)
    if !isSpeakable { throw .unspeakable }
  }

  /// Of several logins for a host, curl takes the first and Python the last. So the default one is written at both
  /// places. All use a login for any protocol, so only those of one protocol are written, https if there is one.
  private static func arrangedForNetrc(_ items: [Item]) -> (written: [Item], omitted: [Item]) {
    var hosts: [ByteString] = []
    var groups: [ByteString: [Item]] = [:]
    var written: [Item] = []
    for item in items {
      guard item.isForNetrc, case .internetPassword(let key) = item.key, let server = key.server?.lowercased
      else {
        // Whether it is of another kind is reported on writing.
        written.append(item)
        continue
      }
      if groups[server] == nil { hosts.append(server) }
      groups[server, default: []].append(item)
    }
    var omitted: [Item] = []
    for host in hosts {
      let group = (groups[host] ?? []).sorted { $0.ranksBeforeInNetrc($1) }
      let spoken = group.filter { $0.netrcProtocol == group[0].netrcProtocol }
      written += spoken + (spoken.count > 1 ? [spoken[0]] : [])
      omitted += group.dropFirst(spoken.count)
    }
    return (written, omitted)
  }
}

extension Item {
  /// The protocols of clients that read netrc files, in order of preference.
  private static let netrcProtocols: [ByteString] = ["https", "http", "ftp"]

  fileprivate var netrcProtocol: Int? {
    guard case .internetPassword(let key) = key else { return nil }
    return Self.netrcProtocols.firstIndex(of: key.protocol.lowercased)
  }

  /// Whether netrc has a place for it.
  fileprivate var isForNetrc: Bool {
    guard case .internetPassword(let key) = key, netrcProtocol != nil, !isNegative else { return false }
    return key.isForEverybody && key.server != nil && key.account != nil && key.path == nil
      && key.hasOwnPort
  }

  /// Whether it should be used before another login for the host.
  fileprivate func ranksBeforeInNetrc(_ other: Item) -> Bool {
    if let mine = netrcProtocol, let its = other.netrcProtocol, mine != its { return mine < its }
    if isDefault != other.isDefault { return isDefault }
    guard let mine = modificationDate, let its = other.modificationDate else { return false }
    return mine > its
  }
}

extension InternetPassword {
  /// Whether it belongs to no particular tool.
  var isForEverybody: Bool { securityDomain == nil }
}
