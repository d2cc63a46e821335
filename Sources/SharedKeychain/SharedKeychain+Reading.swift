import Bytes
public import Keychain

extension SharedKeychain {
  // MARK: By name

  /// The secret of an item as text; `nil` if there is no such item.
  ///
  /// ```swift
  /// let token = try keychain[.genericPassword(service: "example", account: "alice")]
  /// ```
  ///
  /// It can't be set: setters in Swift can't throw, and a failure to store a secret must not go unnoticed; see
  /// ``save(_:for:label:comment:description:)``. Text can't be wiped from memory; see ``secret(of:)``.
  ///
  /// - Throws: as ``string(of:)`` does.
  public subscript(_ item: some ItemIdentifying) -> String? {
    get throws(KeychainError) { try string(of: item) }
  }

  /// The secret of an item, even if it has expired (see ``credential(of:)``); `nil` if there is no such item.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func secret(of item: some ItemIdentifying) throws(KeychainError) -> Secret? {
    guard let credential = try credential(of: item) else { return nil }
    return credential.takeSecret()
  }

  /// The secret of an item as text, for a program that needs that; `nil` if there is no such item.
  ///
  /// - Throws: `KeychainError.unusableAttribute(name:_:)` with `KeychainError.AttributeFault.notText` if the secret is
  ///   not UTF-8; `KeychainError` if the keychain can't be read.
  public func string(of item: some ItemIdentifying) throws(KeychainError) -> String? {
    guard let secret = try secret(of: item) else { return nil }
    let text = secret.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    guard let text else { throw .unusableAttribute(name: "secret", .notText) }
    return text
  }

  /// The secret of an item as bytes, for a program that needs an array; `nil` if there is no such item.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func bytes(of item: some ItemIdentifying) throws(KeychainError) -> [UInt8]? {
    guard let secret = try secret(of: item) else { return nil }
    return secret.withUnsafeBytes { Array($0) }
  }

  /// The secret of an item with its expiry and its refresh token; `nil` if there is no such item.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func credential(of item: some ItemIdentifying) throws(KeychainError) -> Credential? {
    let wanted = item.item
    return try withStore { (store) throws(KeychainError) in
      try store.reading { () throws(KeychainError) -> Credential? in
        guard let item = try store.present(wanted) else { return nil }
        return try store.credentialIfPresent(of: item)
      }
    }
  }

  /// An item with all its attributes but without its secret; `nil` if there is no such item.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func item(_ item: some ItemIdentifying) throws(KeychainError) -> Item? {
    let wanted = item.item
    return try withStore { (store) throws(KeychainError) in try store.present(wanted) }
  }

  // MARK: By attributes

  /// The items that have these attributes, or all items, without their secrets, in the keychain's own order.
  ///
  /// The search is exact, like that of Keychain Services; see `ItemCriteria`. For the item that git or another tool
  /// would get, see ``answer(to:at:)``.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func items(matching criteria: ItemCriteria = ItemCriteria()) throws(KeychainError) -> [Item] {
    try withStore { (store) throws(KeychainError) in try store.items(matching: .criteria(criteria)) }
  }

  /// The internet passwords that have these attributes, without their secrets; all of them if none is given.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func internetPasswords(
    server: String? = nil, account: String? = nil, protocol: String? = nil, port: UInt16? = nil,
    path: String? = nil, label: String? = nil
  ) throws(KeychainError) -> [Item] {
    var criteria = ItemCriteria()
    criteria.itemClass = .internetPassword
    criteria[.server] = server.map { ByteString($0) }
    criteria[.account] = account.map { ByteString($0) }
    criteria[.protocol] = `protocol`.map { ByteString($0) }
    criteria[.port] = port.map { $0 == 0 ? "" : ByteString("\($0)") }
    criteria[.path] = path.map { ByteString($0) }
    criteria[.label] = label.map { ByteString($0) }
    return try items(matching: criteria)
  }

  /// The generic passwords that have these attributes, without their secrets; all of them if none is given.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func genericPasswords(
    service: String? = nil, account: String? = nil, label: String? = nil
  ) throws(KeychainError) -> [Item] {
    var criteria = ItemCriteria()
    criteria.itemClass = .genericPassword
    criteria[.service] = service.map { ByteString($0) }
    criteria[.account] = account.map { ByteString($0) }
    criteria[.label] = label.map { ByteString($0) }
    return try items(matching: criteria)
  }

  /// The answer that git or another tool would get: the best item that has not expired, with its secret; `nil` if
  /// there is none. See `KeychainStore.answer(to:at:where:)`.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read.
  public func answer(to query: ItemQuery, at now: Timestamp = .now) throws(KeychainError) -> Answer? {
    try withStore { (store) throws(KeychainError) in try store.answer(to: query, at: now) }
  }
}

extension KeychainStore {
  /// The present state of an item; `nil` if it is gone. An item from a keychain is identified by its reference, as
  /// long as its key is the same.
  func present(_ wanted: Item) throws(KeychainError) -> Item? {
    let key = wanted.key.primaryKey
    // A search by attributes doesn't distinguish an empty account from none.
    let found = try items(matching: .criteria(ItemCriteria(key))).filter { $0.key.primaryKey == key }
    guard let reference = wanted.reference else { return found.first { !$0.isHidden } }
    return found.first { $0.reference == reference }
  }
}
