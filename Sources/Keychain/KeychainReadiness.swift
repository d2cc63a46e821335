/// Whether a keychain could keep a secret now; see ``KeychainStore/probe()``.
public enum KeychainReadiness: Hashable, Sendable {
  /// It answers and takes new items without asking anybody.
  case ready
  /// It exists, but somebody would have to unlock it first: the file at this path, or the collection of this name.
  case locked(KeychainError)
  /// Items can be read, but not added or changed, for this reason.
  case notWritable(KeychainError)
  /// It can't be used at all, for this reason.
  case unavailable(KeychainError)

  /// Whether a secret could be stored now, perhaps after somebody unlocks the keychain.
  public var canKeepSecrets: Bool {
    switch self {
    case .ready, .locked: true
    case .notWritable, .unavailable: false
    }
  }

  /// The obstacle; `nil` if the keychain is ready.
  public var reason: KeychainError? {
    switch self {
    case .ready: nil
    case .locked(let error), .notWritable(let error), .unavailable(let error): error
    }
  }

  /// The readiness of a keychain whose reading failed with an error.
  public init(readingFailedWith error: KeychainError) {
    switch error {
    case .locked, .collectionLocked, .itemLocked, .promptDismissed, .wrongPassphrase: self = .locked(error)
    default: self = .unavailable(error)
    }
  }
}

extension KeychainStore {
  /// Reads an item that never exists. A keychain that asks people must implement this itself, without asking.
  public func probe() -> KeychainReadiness {
    do throws(KeychainError) {
      _ = try items(matching: .genericPassword(GenericPasswordQuery(service: "probe", account: "")))
      return .ready
    } catch {
      return KeychainReadiness(readingFailedWith: error)
    }
  }
}
