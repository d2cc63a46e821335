import Glibc

/// Bytes that nobody else should see, kept in one place in memory and wiped when no longer needed.
///
/// The compiler refuses to copy, print, interpolate or encode a secret. That prevents accidents and shortens its life,
/// but doesn't stop a debugger that may trace the process.
public struct Secret: ~Copyable, @unchecked Sendable {
  // Unchecked is sound: the memory has a single owner, and only `mutating` members change it, and through
  // `unsafeMemory` an owner that holds it exclusively.
  @usableFromInline var base: UnsafeMutableRawPointer?
  private var capacity: Int

  /// The number of bytes.
  public private(set) var count: Int

  /// An empty secret with room for `capacity` bytes.
  public init(capacity: Int = 0) {
    base = capacity > 0 ? Secret.allocate(capacity) : nil
    self.capacity = capacity
    count = 0
  }

  /// Makes `count` zeroed bytes, which `fill` changes in place. An error wipes them at once.
  @inlinable
  package init<Failure: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    self.init(uninitialized: count)
    unsafeMemory.initializeMemory(as: UInt8.self, repeating: 0)
    try fill(unsafeMemory)
  }

  /// Makes `count` bytes with undefined values until they are written.
  @usableFromInline
  package init(uninitialized count: Int) {
    self.init(capacity: count)
    self.count = count
  }

  /// Copies a buffer's bytes. The caller still has to wipe the buffer.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  /// Copies an attribute's bytes, to use them like a secret.
  public init(copying attribute: ByteString) {
    self.init(capacity: attribute.bytes.count)
    append(contentsOf: attribute)
  }

  /// Copies the UTF-8 encoding of `text`, which can't be wiped. For tests, examples and values that were text already.
  public init(_ text: String) {
    self.init(capacity: text.utf8.count)
    for byte in text.utf8 { append(byte) }
  }

  deinit {
    Secret.release(base, capacity)
  }

  /// Whether there are no bytes. An empty secret is a value, as git's empty password is.
  public var isEmpty: Bool { count == 0 }

  /// Lends the bytes for the duration of one call.
  @inlinable
  public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(unsafeMemory))
  }

  /// Lends the bytes for the duration of one call, to be changed in place.
  @inlinable
  public mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafeMemory)
  }

  /// The memory itself, for its only owner to use as long as it keeps this value and appends nothing.
  @inlinable package var unsafeMemory: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: count)
  }

  /// Adds a copy of the buffer's bytes at the end.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let end = grow(by: bytes.count)
    memcpy(end, source, bytes.count)
  }

  /// Adds one byte at the end.
  public mutating func append(_ byte: UInt8) {
    grow(by: 1).storeBytes(of: byte, as: UInt8.self)
  }

  /// Adds the bytes of a literal at the end.
  public mutating func append(_ literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Adds the bytes of an attribute at the end.
  public mutating func append(contentsOf attribute: ByteString) {
    attribute.bytes.withUnsafeBytes { append($0) }
  }

  /// Adds the bytes of another secret at the end.
  public mutating func append(_ other: borrowing Secret) {
    other.withUnsafeBytes { append($0) }
  }

  /// Adds a number at the end, most significant byte first.
  @inlinable
  package mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append($0) }
  }

  /// Adds up to `count` bytes at the end, which `body` writes. It returns how many it wrote; the others are dropped.
  @inlinable
  public mutating func append<Failure: Error>(
    count added: Int, writtenBy body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    let room = room(for: added)
    let written = try body(room)
    count(max(0, min(written, added)))
  }

  @usableFromInline
  mutating func room(for added: Int) -> UnsafeMutableRawBufferPointer {
    defer { count -= added }
    return UnsafeMutableRawBufferPointer(start: grow(by: added), count: added)
  }

  @usableFromInline
  mutating func count(_ written: Int) { count += written }

  /// Drops and wipes the bytes from `count` on.
  public mutating func truncate(to newCount: Int) {
    guard newCount < count else { return }
    unsafeMemory.part(newCount, count - newCount).wipe()
    count = newCount
  }

  /// The bytes, without a line feed at the end.
  package consuming func withoutLastLineFeed() -> Secret {
    var secret = self
    let endsWithLineFeed = secret.withUnsafeBytes { $0.last == 0x0a }
    if endsWithLineFeed { secret.truncate(to: secret.count - 1) }
    return secret
  }

  /// Whether both hold the same bytes. The time depends on the lengths only.
  public borrowing func isEqual(to other: borrowing Secret) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in
        var difference: UInt8 = 0
        for index in 0..<mine.count { difference |= mine[index] ^ theirs[index] }
        return difference == 0
      }
    }
  }

  /// A second copy, for a caller that needs its own.
  public borrowing func copy() -> Secret {
    withUnsafeBytes { Secret(copying: $0) }
  }

  /// Makes room for `added` more bytes, counts them, and returns where they begin. Old memory is wiped, then freed.
  private mutating func grow(by added: Int) -> UnsafeMutableRawPointer {
    let needed = count + added
    if let base, needed <= capacity {
      defer { count = needed }
      return base + count
    }
    let larger = max(needed, capacity * 2, 64)
    let moved = Secret.allocate(larger)
    if let base { memcpy(moved, base, count) }
    Secret.release(base, capacity)
    base = moved
    capacity = larger
    defer { count = needed }
    return moved + count
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(size) else { fatalError("out of memory") }
    return memory
  }

  private static func release(_ base: UnsafeMutableRawPointer?, _ size: Int) {
    UnsafeMutableRawBufferPointer(start: base, count: size).wipe()
    free(base)
  }
}
