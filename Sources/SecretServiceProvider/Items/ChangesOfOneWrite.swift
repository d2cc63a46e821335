import Keychain

/// What a change by a program depends on and changes, as far as that is known before its turn.
enum ChangeSubject {
  /// A new item, beside those with the same attributes.
  case new(LookupAttributes)
  /// A new item, or a change of the one with the same attributes.
  case replacing(LookupAttributes)
  /// The item at a path.
  case item(String)
  /// Perhaps everything.
  case all
}

/// A change by a program that waits for its turn.
struct WaitingChange {
  let subject: ChangeSubject
  /// Determines the change from the state when its turn comes; `nil` if it was refused.
  let prepare: () -> PreparedChange?
}

/// A change by a program whose turn has come.
struct PreparedChange {
  /// Makes it, on the keychain's thread. Each run's outcome replaces the one before.
  let make: @Sendable (any KeychainStore) -> Void
  /// Answers the call, on the main thread.
  ///
  /// - Parameter failure: why nothing of the whole write was made permanent.
  let report: (_ failure: KeychainError?) -> Void
}

/// Changes of which none depends on another, so that each can be determined before the others are made.
struct ChangesOfOneWrite {
  private(set) var changes: [WaitingChange] = []
  private var attributes: Set<LookupAttributes> = []
  private var paths: Set<String> = []
  private var replaces = false
  private var isAll = false

  /// Takes one more change. Returns `false` if it depends on one that is here.
  mutating func take(_ change: WaitingChange) -> Bool {
    guard changes.isEmpty || isIndependent(change.subject) else { return false }
    switch change.subject {
    case .new(let new): attributes.insert(new.withoutGenericSchema)
    case .replacing(let new):
      attributes.insert(new.withoutGenericSchema)
      replaces = true
    case .item(let path): paths.insert(path)
    case .all: isAll = true
    }
    changes.append(change)
    return true
  }

  private func isIndependent(_ subject: ChangeSubject) -> Bool {
    switch subject {
    // The newest comes first in a search, so two need two dates.
    case .new(let new): !isAll && !attributes.contains(new.withoutGenericSchema)
    // A changed item may have other attributes than before.
    case .replacing(let new): !isAll && paths.isEmpty && !attributes.contains(new.withoutGenericSchema)
    case .item(let path): !isAll && !replaces && !paths.contains(path)
    case .all: false
    }
  }
}

/// The outcome of a change. Only the keychain's thread sets it, before the main thread reads it.
final class ChangeOutcome<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, KeychainError>?
}
