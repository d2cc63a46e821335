package import Keychain
import SecretService

/// What a program has done with the keychain, for a log. It holds no secret.
package struct Access: Sendable {
  /// When it called.
  package let date: Timestamp
  /// Who called.
  package let caller: Caller?
  /// What it wanted: `search`, `read`, `store`, `change`, `delete`, `lock`, `unlock`, or `collection`.
  package let action: String
  /// The items that it was about, at most ``limit`` of them.
  package let items: [Item]
  /// How many there were.
  package let count: Int
  /// What became of it.
  package let outcome: Outcome

  /// How many items are named.
  package static let limit = 16

  /// What became of a call.
  package enum Outcome: String, Sendable {
    case answered
    /// There is nothing of that kind.
    case nothing
    case locked
    /// The program may not have it.
    case refused
    case failed
  }

  /// What a call is about; `nil` for one that has to do with no item.
  static func action(of call: MethodCall) -> String? {
    switch call.member {
    case "SearchItems": "search"
    case "GetSecret", "GetSecrets", "RetrieveSecret": "read"
    case "CreateItem", "SetSecret": "store"
    case "Delete": "delete"
    case "Set": "change"
    case "Lock", "LockService": "lock"
    case "Unlock", "UnlockWithMasterPassword": "unlock"
    case "CreateCollection", "SetAlias": "collection"
    default: nil
    }
  }
}

extension Access.Outcome {
  init(_ error: ServiceError?, count: Int, _ action: String) {
    self =
      switch error {
      case nil: action == "search" && count == 0 ? .nothing : .answered
      case .isLocked, .lockedElsewhere, .wrongPassphrase: .locked
      case .accessDenied, .refusedElsewhere: .refused
      case .noSuchObject, .unknownObject: .nothing
      default: .failed
      }
  }
}
