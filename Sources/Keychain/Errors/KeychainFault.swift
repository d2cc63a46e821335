/// A fault that only one part of the program knows: a kind of keychain, a protocol, or the choice of a keychain. Its
/// words are beside it; the others treat it by its kind.
package protocol KeychainFault: Hashable, Sendable {
  /// What callers treat differently.
  var kind: KeychainError.Kind { get }

  /// The fault in words.
  var failure: Failure { get }
}

/// Any fault, for ``KeychainError/fault(_:)``.
public struct AnyKeychainFault: Hashable, Sendable {
  let fault: any KeychainFault

  /// What callers treat differently.
  public var kind: KeychainError.Kind { fault.kind }

  /// The fault in words.
  public var failure: Failure { fault.failure }

  /// Whether both are the same fault.
  public static func == (one: AnyKeychainFault, other: AnyKeychainFault) -> Bool {
    one.fault.equals(other.fault)
  }

  /// Hashes the fault.
  public func hash(into hasher: inout Hasher) { fault.hash(into: &hasher) }
}

extension KeychainFault {
  fileprivate func equals(_ other: any KeychainFault) -> Bool { other as? Self == self }
}

extension KeychainError {
  /// What callers treat differently, whatever part of the program has failed.
  public enum Kind: Sendable {
    /// The call is wrong.
    case unusable
    /// No keychain has the name, or it isn't there.
    case noKeychain
    /// It is locked, and nobody could be asked to unlock it.
    case locked
    /// A person has to decide, and nobody did in time.
    case undecided
    /// What was given doesn't let this user in.
    case notLetIn
    /// The user is let in, but not allowed to do this.
    case forbidden
    /// It can be read, but not written.
    case notWritable
    /// Its data can't be used.
    case damaged
    /// Nobody answers at its place.
    case unreachable
    /// It did not answer in time.
    case timedOut
    /// It has too much to do.
    case busy
    /// It can't be used for another reason.
    case unavailable
  }

  /// An error of one part of the program.
  package init(_ fault: some KeychainFault) {
    self = .fault(AnyKeychainFault(fault: fault))
  }

  /// The fault, if it is of this type.
  package func fault<Fault: KeychainFault>(_ type: Fault.Type = Fault.self) -> Fault? {
    if case .fault(let any) = self { any.fault as? Fault } else { nil }
  }
}
