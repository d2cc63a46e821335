public import Keychain

/// The error that the body ends with; `nil` if it ends without one, or with another kind.
public func failure<Result: ~Copyable>(_ body: () throws -> Result) -> KeychainError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? KeychainError
  }
}
