package import Bytes
package import Keychain
package import KeychainChoice

extension NameForAll {
  /// The name for all at a place of an open keychain. A keychain of another machine or on a server gives no client.
  package static func find(
    for key: InternetPassword, in open: OpenKeychain, isTakenOver: Bool = true
  ) -> ByteString? {
    let kind = open.choice.kind
    let keychain = kind.isOfOtherMachine || kind.isOnServer ? nil : open.keychain
    return find(for: key, in: keychain, isTakenOver: isTakenOver)
  }
}

extension OpenKeychain {
  /// The answer that git would get: to the query itself, or else under the name for all at its place.
  ///
  /// - Throws: ``KeychainError`` as ``KeychainStore/answer(to:at:where:)`` does.
  package func answer(to query: ItemQuery) throws(KeychainError) -> Answer? {
    if let answer = try keychain.answer(to: query, where: { _, _ in true }) { return answer }
    guard let other = underNameForAll(query) else { return nil }
    return try keychain.answer(to: other, where: { _, _ in true })
  }

  /// The items that answer a query, best first, followed by those under the name for all at its place.
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
