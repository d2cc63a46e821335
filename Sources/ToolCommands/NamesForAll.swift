package import Bytes
package import Keychain
package import KeychainChoice

extension NameForAll {
  /// The name at a place, of an open keychain. That of another machine, and one on a server, give no client.
  package static func find(
    for key: InternetPassword, in open: OpenKeychain, isTakenOver: Bool = true
  ) -> ByteString? {
    let keychain = open.forwarded == nil && open.choice.kind != .openBao ? open.keychain : nil
    return find(for: key, in: keychain, isTakenOver: isTakenOver)
  }
}

extension OpenKeychain {
  /// What git would get for a query of a person: what answers it, else what answers under the name for all there.
  ///
  /// - Throws: ``KeychainError`` as ``KeychainStore/answer(to:at:where:)`` does.
  package func answer(to query: ItemQuery) throws(KeychainError) -> Answer? {
    if let answer = try keychain.answer(to: query, where: { _, _ in true }) { return answer }
    guard let other = underNameForAll(query) else { return nil }
    return try keychain.answer(to: other, where: { _, _ in true })
  }

  /// The items that answer a query, then those under the name for all there; the best first.
  ///
  /// - Throws: ``KeychainError`` as ``KeychainStore/find(_:)`` does.
  package func find(_ query: ItemQuery) throws(KeychainError) -> [Item] {
    let found = try keychain.find(query)
    guard let other = underNameForAll(query) else { return found }
    return found + (try keychain.find(other))
  }

  /// The query for the name under which one token answers for every name; `nil` if there is none.
  package func underNameForAll(_ query: ItemQuery) -> ItemQuery? {
    query.underNameForAll { NameForAll.find(for: $0, in: self) }
  }
}
