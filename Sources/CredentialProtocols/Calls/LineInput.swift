import Bytes
import Keychain

/// Reads lines one by one, each as soon as it arrives, for protocols that answer line by line.
struct LineInput: ~Copyable {
  private let call: any ToolCall
  private let limit: Int
  private var pending = Secret()
  private var hasEnded = false

  /// Reads the lines of the call's standard input.
  ///
  /// - Parameter limit: the maximum length of a line in bytes, without its LF.
  init(_ call: any ToolCall, limit: Int = 1 << 20) {
    self.call = call
    self.limit = limit
  }

  /// The next line without its LF; `nil` at the end. A last line may lack its LF.
  ///
  /// - Throws: ``RequestFault/requestTooLong(limit:)`` for a longer line.
  mutating func next() throws(KeychainError) -> Secret? {
    var searched = 0
    while true {
      let end = pending.withUnsafeBytes { bytes in (searched..<bytes.count).first { bytes[$0] == 0x0a } }
      if let end { return takeLine(end) }
      searched = pending.count
      if pending.count > limit { throw .request(.requestTooLong(limit: limit)) }
      if !hasEnded {
        let before = pending.count
        try pending.append(count: 4096) { [call] (buffer) throws(KeychainError) in try call.read(into: buffer)
        }
        if pending.count > before { continue }
        hasEnded = true
      }
      return pending.isEmpty ? nil : takeLine(pending.count)
    }
  }

  private mutating func takeLine(_ end: Int) -> Secret {
    let line = pending.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<end])) }
    pending = pending.withUnsafeBytes {
      Secret(copying: UnsafeRawBufferPointer(rebasing: $0[min(end + 1, $0.count)...]))
    }
    return line
  }
}
