package import Keychain

/// Whether a change, which is in place, also survives a loss of power. A change that isn't in place is an error
/// instead, so that nobody confuses the two.
package enum Durability: Hashable, Sendable {
  case lasting
  /// The system couldn't confirm it, for this reason.
  case unsure(KeychainError)

  package mutating func join(_ other: Durability) {
    if self == .lasting { self = other }
  }

  /// Throws unless the change lasts: for data that must be on the disk before something else may change.
  ///
  /// - Throws: the reason why it may not last.
  package func required() throws(KeychainError) {
    if case .unsure(let error) = self { throw error }
  }
}
