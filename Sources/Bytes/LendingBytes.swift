extension [UInt8] {
  /// Lends the elements and passes on a typed error, unlike the standard library's `withUnsafeBytes`.
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
