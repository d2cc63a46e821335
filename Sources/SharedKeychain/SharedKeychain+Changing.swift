public import Keychain

extension SharedKeychain {
  // MARK: Adding

  /// Adds an item and returns it with its reference and dates.
  ///
  /// - Parameters:
  ///   - secret: a `Secret` or `Credential`, of which a copy is stored, or text or bytes.
  ///   - item: the key of the new item, or an item with further attributes.
  ///   - label: a name for people (`kSecAttrLabel`).
  ///   - comment: a remark for people (`kSecAttrComment`).
  ///   - description: the kind of password, in a word (`kSecAttrDescription`).
  /// - Throws: `KeychainError.duplicateItem` if an item with this key exists;
  ///   `KeychainError.unusableAttribute(name:_:)` or `KeychainError.tooLarge(what:limit:)` if the item exceeds
  ///   `ItemBounds`; `KeychainError` if the keychain can't be written.
  @discardableResult
  public func add(
    _ secret: borrowing some CredentialConvertible & ~Copyable, for item: some ItemIdentifying,
    label: String? = nil, comment: String? = nil, description: String? = nil
  ) throws(KeychainError) -> Item {
    let credential = secret.makeCredential()
    let added = item.item.with(label: label, comment: comment, description: description)
    return try withStore { (store) throws(KeychainError) in try store.add(added, credential) }
  }

  // MARK: Saving

  /// Stores a secret: changes the item if it exists, and adds it otherwise.
  ///
  /// Nothing is written if nothing changes. Attributes that are not given stay as they are. Without an expiry or
  /// refresh token in the call, the present ones stay if the secret is unchanged, and are removed if it is new.
  ///
  /// - Parameters: as those of ``add(_:for:label:comment:description:)``.
  /// - Returns: the change that was made.
  /// - Throws: `KeychainError.unusableAttribute(name:_:)` or `KeychainError.tooLarge(what:limit:)` if the item
  ///   exceeds `ItemBounds`; `KeychainError` if the keychain can't be read or written.
  @discardableResult
  public func save(
    _ secret: borrowing some CredentialConvertible & ~Copyable, for item: some ItemIdentifying,
    label: String? = nil, comment: String? = nil, description: String? = nil
  ) throws(KeychainError) -> SaveOutcome {
    let credential = secret.makeCredential()
    var wanted = item.item.with(label: label, comment: comment, description: description)
    wanted.reference = nil
    return try withStore { (store) throws(KeychainError) in
      try wanted.validate(with: credential)
      // Usually the item is there already, and finding that out takes no lock.
      if try store.keeps(wanted, credential) { return .unchanged }
      return try store.exclusively { () throws(KeychainError) -> SaveOutcome in
        guard let twin = try store.present(wanted) else {
          try store.add(wanted, credential)
          return .added
        }
        let changed = twin.taking(notesOf: wanted)
        let current = try store.credential(of: twin)
        if !current.hasSameSecret(as: credential) {
          try store.update(changed, credential)
        } else if let merged = current.merged(with: credential, expiringBy: nil) {
          try store.update(changed, merged)
        } else if changed != twin {
          try store.update(changed)
        } else {
          return .unchanged
        }
        return .updated
      }
    }
  }

  // MARK: Updating

  /// Changes attributes of an item, and returns its new state.
  ///
  /// ```swift
  /// try keychain.update(login) { $0.comment = "for the build machine" }
  /// ```
  ///
  /// - Throws: `KeychainError.itemNotFound` if there is no such item; `KeychainError.duplicateItem` if another item
  ///   already has the new key; `KeychainError.unusableAttribute(name:_:)` or `KeychainError.tooLarge(what:limit:)` if
  ///   the item exceeds `ItemBounds`; whatever the body throws; `KeychainError` if the keychain can't be read or
  ///   written.
  @discardableResult
  public func update(
    _ item: some ItemIdentifying, _ change: (inout Item) throws(KeychainError) -> Void
  ) throws(KeychainError) -> Item {
    let wanted = item.item
    return try withStore { (store) throws(KeychainError) in
      let updated = try store.exclusively { () throws(KeychainError) -> Item in
        let (present, changed) = try store.change(wanted, change)
        return changed == present ? present : try store.update(changed)
      }
      return try store.present(updated) ?? updated
    }
  }

  /// Replaces an item's secret, and changes its attributes.
  ///
  /// - Parameters:
  ///   - item: the item.
  ///   - secret: replaces everything confidential in the item, including its expiry and refresh token.
  ///   - change: changes attributes.
  /// - Throws: as ``update(_:_:)`` does.
  @discardableResult
  public func update(
    _ item: some ItemIdentifying, secret: borrowing some CredentialConvertible & ~Copyable,
    _ change: (inout Item) throws(KeychainError) -> Void = { _ in }
  ) throws(KeychainError) -> Item {
    let wanted = item.item
    let credential = secret.makeCredential()
    return try withStore { (store) throws(KeychainError) in
      let updated = try store.exclusively { () throws(KeychainError) -> Item in
        try store.update(try store.change(wanted, change).after, credential)
      }
      // A service sets the item's date only now.
      return try store.present(updated) ?? updated
    }
  }

  // MARK: Deleting

  /// Deletes an item. Returns whether it existed.
  ///
  /// - Throws: `KeychainError` if the keychain can't be read or written.
  @discardableResult
  public func delete(_ item: some ItemIdentifying) throws(KeychainError) -> Bool {
    let wanted = item.item
    return try withStore { (store) throws(KeychainError) in
      if try store.present(wanted) == nil { return false }
      return try store.exclusively { () throws(KeychainError) -> Bool in
        guard let item = try store.present(wanted) else { return false }
        return try store.delete([item]) > 0
      }
    }
  }

  /// Deletes items that were found. Returns how many of them still existed.
  ///
  /// There is no deletion by attributes: too few of them would delete everything.
  ///
  /// - Throws: `KeychainError` if the keychain can't be written.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    try withStore { (store) throws(KeychainError) in try store.delete(items) }
  }
}

extension KeychainStore {
  fileprivate func keeps(
    _ wanted: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Bool {
    try reading { () throws(KeychainError) -> Bool in
      guard let twin = try present(wanted), twin.taking(notesOf: wanted) == twin,
        let current = try credentialIfPresent(of: twin), current.hasSameSecret(as: credential)
      else { return false }
      return current.merged(with: credential, expiringBy: nil) == nil
    }
  }

  /// The present state of an item, and its state after `change`.
  fileprivate func change(
    _ wanted: Item, _ change: (inout Item) throws(KeychainError) -> Void
  ) throws(KeychainError) -> (before: Item, after: Item) {
    guard let present = try present(wanted) else { throw .itemNotFound }
    var changed = present
    try change(&changed)
    changed.reference = present.reference
    return (present, changed)
  }
}

extension Item {
  fileprivate func with(label: String?, comment: String?, description: String?) -> Item {
    var item = self
    if let label { item.label = ByteString(label) }
    if let comment { item.comment = ByteString(comment) }
    if let description { item.itemDescription = ByteString(description) }
    return item
  }
}
