/// A property that must hold for any input. The fuzzer checks it on generated inputs, and the tests on those that are
/// kept in `Tests/Corpora`.
public protocol Property {
  /// Checks an input. A memory error or an overflow ends the process instead.
  ///
  /// - Throws: ``PropertyFailure`` if the property doesn't hold.
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure)
}

/// The failure of a property.
public struct PropertyFailure: Error, CustomStringConvertible {
  /// The fact that should have held.
  public let description: String

  /// Creates a failure of the given fact.
  public init(_ fact: String) {
    description = fact
  }
}

/// Throws unless the condition holds.
public func require(_ holds: Bool, _ fact: @autoclosure () -> String) throws(PropertyFailure) {
  if !holds { throw PropertyFailure(fact()) }
}

/// Returns the result of `body`; any error breaks the property.
public func require<Success: ~Copyable, Failure: Error>(
  _ fact: String, _ body: () throws(Failure) -> Success
) throws(PropertyFailure) -> Success {
  do throws(Failure) {
    return try body()
  } catch {
    throw PropertyFailure("\(fact): \(error)")
  }
}

/// Passes a copy of the bytes in memory of exactly their size, so that AddressSanitizer detects a read beyond them.
public func lend<Success: ~Copyable, Failure: Error>(
  _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
) throws(Failure) -> Success {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { memory.deallocate() }
  memory.copyBytes(from: bytes)
  return try body(UnsafeRawBufferPointer(memory))
}
