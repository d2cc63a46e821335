import Bytes
import Interchange
import Keychain

/// Another program's login in the desktop's Secret Service, which git gets only once it is imported.
struct ItemToImport {
  private let item: Item
  /// The kind of import that brings it in.
  private let kind: String

  /// The programs that keep logins for hosts under names of their own.
  private static let programs: [DesktopItems] = [.gh, .gcm]

  /// The first for a place that is not among the items already; `nil` if there is none.
  init?(for asked: InternetPassword, among items: [Item]) {
    guard let server = asked.server, asked.securityDomain == nil else { return nil }
    for item in items where item.isInSecretService {
      for program in Self.programs {
        guard let made = program.converted(item)?.key, case .internetPassword(let key) = made,
          key.isOn(server), key.isReached(by: asked.protocol, at: asked.port),
          asked.account == nil || asked.account == key.account,
          !items.contains(where: { $0.key.primaryKey == made.primaryKey })
        else { continue }
        self.item = item
        kind = program.name
        return
      }
    }
    return nil
  }

  /// What makes it git's.
  var hint: Hint { "\(command: "llavero", "import", kind) brings in \(prose: item.key.place)" }
}

extension Item {
  /// Whether it was read from the desktop's Secret Service, by the name that the keychain has for it.
  fileprivate var isInSecretService: Bool {
    reference.map { $0.bytes.bytes.starts(with: "/org/freedesktop/secrets/".utf8) } ?? false
  }
}
