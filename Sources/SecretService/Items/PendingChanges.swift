import Keychain

/// Changes made in the body of `exclusively` and not yet sent. The service has no transactions, so nothing is sent
/// before the body has ended without an error.
struct PendingChanges {
  final class Change {
    let before: Item?
    let after: Item?
    let credential: Credential?

    init(before: Item?, after: Item?, credential: consuming Credential?) {
      self.before = before
      self.after = after
      self.credential = credential
    }

    /// The stored form of the new confidential part; `nil` if it is unchanged.
    func body(as form: SecretBody.Form, isText: Bool = true) -> Secret? {
      switch credential {
      case .none: nil
      case .some(let credential): SecretBody.encode(credential, as: form, isText: isText)
      }
    }

    /// The new confidential part for programs, of an item that is written unchanged; `nil` if it is unchanged.
    func body(of item: Item) -> Secret? {
      switch credential {
      case .none: nil
      case .some(let credential): ItemTranslation.body(of: item, credential)
      }
    }

    func copyOfCredential() -> Credential? {
      switch credential {
      case .none: nil
      case .some(let credential): credential.copy()
      }
    }
  }

  /// The changes, ordered by the last change to each item.
  private(set) var changes: [(reference: ItemReference, change: Change)] = []

  subscript(_ reference: ItemReference) -> Change? {
    changes.first { $0.reference == reference }?.change
  }

  mutating func set(_ change: Change, for reference: ItemReference) {
    changes.removeAll { $0.reference == reference }
    // An item added and deleted within the body needn't be sent.
    if change.before != nil || change.after != nil { changes.append((reference, change)) }
  }

  /// Items with the changes applied, most recently changed first.
  func applied(to items: [Item], matching query: ItemQuery) -> [Item] {
    if changes.isEmpty { return items }
    return changes.reversed().compactMap(\.change.after).filter(query.matches)
      + items.filter { item in !changes.contains { $0.reference == item.reference } }
  }
}
