import Bytes
import Keychain
import SecretService

extension Provider {
  typealias SecretOfItem = (path: String, SharedSecret, contentType: String)

  /// How many bytes of secrets one answer may have: a D-Bus message has room for 128 MiB.
  private static let answerLimit = 32 << 20
  /// For how many items each is read by itself.
  private static let fewItems = 4

  /// Reads secrets off the main thread. Leaves out items that are gone and, if programs are asked about, items that
  /// have changed since they were judged.
  func readSecrets(
    of items: [(path: String, item: Item, contentType: String)],
    then report: @escaping (Result<[SecretOfItem], KeychainError>) -> Void
  ) {
    guard let (path, _, _) = items.first else { return report(.success([])) }
    let way = way(to: path)
    let together = items.filter { self.way(to: $0.path) == way }
    let others = items.filter { self.way(to: $0.path) != way }
    read(together, by: way) { [self] result in
      guard case .success(let secrets) = result else { return report(result) }
      noteMissing(among: together.map(\.path), secrets)
      readSecrets(of: others) { result in report(result.map { secrets + $0 }) }
    }
  }

  /// How to get a secret: from the list, on any thread; by a permission for one connection, through that; by a
  /// permission to store, with a query as a tool makes it.
  private enum Way: Equatable {
    case listed
    case through(ObjectIdentifier)
    case asked
  }

  private func way(to path: String) -> Way {
    guard let allowed = allowedOnce[path] else { return .listed }
    return allowed.thread.map { .through(ObjectIdentifier($0)) } ?? .asked
  }

  private func thread(of way: Way) -> KeychainThread {
    switch way {
    case .listed: readers.next
    case .asked: askers.next
    case .through(let thread): askers.all.first { ObjectIdentifier($0) == thread } ?? askers.next
    }
  }

  /// Notes that a shown item is no longer available, so the known state is out of date.
  private func noteMissing(among paths: [String], _ secrets: [SecretOfItem]) {
    if secrets.count == paths.count { return }
    let found = Set(secrets.map(\.path))
    for path in paths where !found.contains(path) { allowedOnce[path] = nil }
    lastLook = nil
  }

  private func read(
    _ items: [(path: String, item: Item, contentType: String)], by way: Way,
    then report: @escaping (Result<[SecretOfItem], KeychainError>) -> Void
  ) {
    let (isExact, isListed) = (isExact, way == .listed && settings.freshness != nil)
    let readAhead = items.count > Self.fewItems ? settings.readAhead : nil
    thread(of: way).run(
      { (keychain) throws(KeychainError) in
        try keychain.reading { () throws(KeychainError) in
          try readAhead?(keychain)
          var secrets: [SecretOfItem] = []
          var size = 0
          for (path, item, contentType) in items {
            do throws(KeychainError) {
              if way == .asked { _ = try keychain.items(matching: try ItemQuery(for: item.key)) }
              let body = ItemTranslation.bodyForPrograms(of: item, try keychain.credential(of: item))
              size += body.count
              if size > Self.answerLimit { throw .tooLarge(what: "the answer", limit: Self.answerLimit) }
              secrets.append((path, SharedSecret(body), contentType))
            } catch .itemNotFound {
              continue
            }
          }
          if !isExact { return secrets }
          // After the secrets: another machine may change something in between.
          let unchanged = try ClientChanges.unchanged(items.map(\.item), isListed: isListed, in: keychain)
          var paths: Set<String> = []
          for (each, isUnchanged) in zip(items, unchanged) where isUnchanged { paths.insert(each.path) }
          return secrets.filter { paths.contains($0.path) }
        }
      }, then: report)
  }
}
