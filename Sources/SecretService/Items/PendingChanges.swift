import Keychain

/// Changes that the body of `exclusively` has made and that the service does not know of yet. It knows no transactions;
/// so nothing is sent to it before the body has ended without an error.
struct PendingChanges {
  /// What has become of one item.
  final class Change {
    /// The item as the service has it; `nil` for a new one.
    let before: Item?
    /// The item as it is to be; `nil` if it is to go.
    let after: Item?
    /// The new confidential part; `nil` if it stays.
    let credential: Credential?

    init(before: Item?, after: Item?, credential: consuming Credential?) {
      self.before = before
      self.after = after
      self.credential = credential
    }

    /// The stored form of the new confidential part; `nil` if it stays.
    func body(as form: SecretBody.Form) -> Secret? {
      switch credential {
      case .none: nil
      case .some(let credential): SecretBody.encode(credential, as: form)
      }
    }

    /// A copy of the new confidential part.
    func copyOfCredential() -> Credential? {
      switch credential {
      case .none: nil
      case .some(let credential): credential.copy()
      }
    }
  }

  /// In the order of the last change.
  private(set) var changes: [(reference: ItemReference, change: Change)] = []

  /// What has become of the item.
  subscript(_ reference: ItemReference) -> Change? {
    changes.first { $0.reference == reference }?.change
  }

  mutating func set(_ change: Change, for reference: ItemReference) {
    changes.removeAll { $0.reference == reference }
    // What came and went within the body is nothing to tell the service.
    if change.before != nil || change.after != nil { changes.append((reference, change)) }
  }

  /// Items with the changes applied, those changed last first.
  func applied(to items: [Item], matching query: ItemQuery) -> [Item] {
    if changes.isEmpty { return items }
    return changes.reversed().compactMap(\.change.after).filter(query.matches)
      + items.filter { item in !changes.contains { $0.reference == item.reference } }
  }
}
