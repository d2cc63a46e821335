extension Optional where Wrapped: ~Copyable {
  /// Lends the value, which can't be copied, to `body`. Returns `nil` if there is none.
  @inlinable
  package borrowing func lend<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Wrapped) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    switch self {
    case .some(let value): try body(value)
    case .none: nil
    }
  }
}
