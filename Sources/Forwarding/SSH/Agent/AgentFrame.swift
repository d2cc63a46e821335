package import Bytes

/// A message preceded by its length (RFC 9987, section 4): a `uint32` that counts the type and the contents, so it is
/// never 0.
package enum AgentFrame {
  package static let headSize = 4

  /// The largest length of a frame, in bytes, as in OpenSSH's agent and client. Larger ones are refused.
  package static let maximumLength = 256 << 10

  package static func encode(_ type: UInt8) -> [UInt8] { [0, 0, 0, 1, type] }

  package static func encode(_ type: UInt8, extensionName: StaticString, _ contents: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = []
    frame.reserveCapacity(headSize + 5 + extensionName.utf8CodeUnitCount + contents.count)
    frame.append(wire: UInt32(1 + 4 + extensionName.utf8CodeUnitCount + contents.count))
    frame.append(type)
    frame.append(wireString: extensionName)
    frame.append(contentsOf: contents)
    return frame
  }

  /// A whole frame of an extension's request or response with contents that may be secret.
  package static func encode(
    _ type: UInt8, extensionName: StaticString, _ contents: borrowing Secret
  ) -> Secret {
    var frame = Secret(capacity: headSize + 5 + extensionName.utf8CodeUnitCount + contents.count)
    frame.append(bigEndian: UInt32(1 + 4 + extensionName.utf8CodeUnitCount + contents.count))
    frame.append(type)
    frame.append(wireString: extensionName.bytes)
    frame.append(contents)
    return frame
  }
}

/// The bytes that have arrived from one side of a connection, cut into frames.
///
/// The memory is wiped when it is released, because any frame may hold a secret or a signature. It grows with the bytes
/// that arrive, never with an announced length.
package struct AgentFrames: ~Copyable {
  private var bytes = Secret()
  private var offset = 0
  private let maximumLength: Int

  /// - Parameter maximumLength: the largest length of a frame, in bytes.
  package init(maximumLength: Int = AgentFrame.maximumLength) {
    self.maximumLength = maximumLength
  }

  /// The beginning of the bytes so far.
  package enum Next {
    /// A whole frame of this size in bytes, its head included.
    case frame(size: Int)
    case incomplete
    /// A length that no frame may have. Nothing after it can be understood.
    case malformed
  }

  /// How many bytes have arrived and were not taken yet.
  package var count: Int { bytes.count - offset }

  package mutating func append(_ arrived: UnsafeRawBufferPointer) { bytes.append(arrived) }

  package var next: Next {
    if count < AgentFrame.headSize { return .incomplete }
    let length = Int(bytes.withUnsafeBytes { $0.bigEndian(at: offset, UInt32.self) })
    guard 1...maximumLength ~= length else { return .malformed }
    return count < AgentFrame.headSize + length ? .incomplete : .frame(size: AgentFrame.headSize + length)
  }

  package mutating func take<Result: ~Copyable, Failure: Error>(
    _ size: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { drop(size) }
    let start = offset
    return try bytes.withUnsafeBytes { (bytes) throws(Failure) in try body(bytes.part(start, size)) }
  }

  private mutating func drop(_ size: Int) {
    offset += size
    if offset == bytes.count {
      bytes.truncate(to: 0)
      offset = 0
      // A connection should not keep the memory of a large frame.
      if size > Self.keptSize { bytes = Secret() }
    } else if offset > Self.keptSize {
      let rest = bytes.withUnsafeBytes { Secret(copying: $0.part(offset, $0.count - offset)) }
      bytes = rest
      offset = 0
    }
  }

  private static let keptSize = 16 << 10
}
