package import Keychain
import SecretService

/// One access to the keychain by a program, for a log. Holds no secret.
package struct Access: Sendable {
  package let date: Timestamp
  package let caller: Caller?
  /// `search`, `read`, `store`, `change`, `delete`, `lock`, `unlock`, or `collection`.
  package let action: String
  /// The items concerned, at most ``limit`` of them.
  package let items: [Item]
  /// How many items were concerned.
  package let count: Int
  package let outcome: Outcome

  /// How many items are logged by name.
  package static let limit = 16

  package enum Outcome: String, Sendable {
    case answered
    case nothing
    case locked
    case refused
    case failed
  }

  /// The action of a call for the log; `nil` if it concerns no item.
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
