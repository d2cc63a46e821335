package import Keychain

/// Whether a change of files that is in place also survives a loss of power.
///
/// A change that isn't in place is an error; one that is has this, so that nobody takes the one for the other.
package enum Durability: Hashable, Sendable {
  /// It does.
  case lasting
  /// The system couldn't say so, for this reason.
  case unsure(KeychainError)

  /// Both changes together.
  package mutating func join(_ other: Durability) {
    if self == .lasting { self = other }
  }

  /// For what has to be on the disk before something else may be changed.
  ///
  /// - Throws: the reason if it may not be.
  package func required() throws(KeychainError) {
    if case .unsure(let error) = self { throw error }
  }
}
