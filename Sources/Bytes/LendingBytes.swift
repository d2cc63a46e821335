extension [UInt8] {
  /// Lends the elements. Unlike the standard library's `withUnsafeBytes`, it passes on a typed error.
  package func lendingBytes<Success, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    let outcome: Result<Success, Failure> = withUnsafeBytes { bytes in
      do throws(Failure) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
