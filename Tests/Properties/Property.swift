/// What must hold for any input whatever. Checked by the fuzzer on inputs that it makes up, and by the tests on those
/// that `Tests/Corpora` keeps of them.
public protocol Property {
  /// Checks one input. An error of memory safety or an overflow ends the process instead.
  ///
  /// - Throws: ``PropertyFailure`` if the property doesn't hold.
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure)
}

/// A property that doesn't hold.
public struct PropertyFailure: Error, CustomStringConvertible {
  /// What should have been so.
  public let description: String

  /// A failure of what `fact` says.
  public init(_ fact: String) {
    description = fact
  }
}

/// Throws unless the condition holds.
public func require(_ holds: Bool, _ fact: @autoclosure () -> String) throws(PropertyFailure) {
  if !holds { throw PropertyFailure(fact()) }
}

/// What `body` returns, where an error of any kind breaks the property.
public func require<Success: ~Copyable, Failure: Error>(
  _ fact: String, _ body: () throws(Failure) -> Success
) throws(PropertyFailure) -> Success {
  do throws(Failure) {
    return try body()
  } catch {
    throw PropertyFailure("\(fact): \(error)")
  }
}

/// Lends a copy of the bytes in memory of exactly their size, so that AddressSanitizer sees a read beyond them.
public func lend<Success: ~Copyable, Failure: Error>(
  _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
) throws(Failure) -> Success {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { memory.deallocate() }
  memory.copyBytes(from: bytes)
  return try body(UnsafeRawBufferPointer(memory))
}
