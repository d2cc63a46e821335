public import Keychain

/// The error that the body throws; `nil` if it throws none, or one of another type.
public func failure<Result: ~Copyable>(_ body: () throws -> Result) -> KeychainError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? KeychainError
  }
}
