package import Bytes

/// A command or a response: an age stanza exchanged with a plugin (C2SP age-plugin.md, "IPC protocol"). Its body may
/// be a file key or a PIN, and is kept in memory that is wiped.
package struct PluginFrame: ~Copyable {
  package let type: String
  package let arguments: [String]
  package let body: Secret

  /// Reads a frame from exactly its bytes, see ``Boundary``. Throws ``PluginFault/malformedStanza``.
  package init(parsing bytes: UnsafeRawBufferPointer) throws(PluginFault) {
    guard let first = bytes.firstIndex(of: Stanza.lineFeed) else { throw .malformedStanza }
    let words = Result { () throws(AgeError) in try HeaderParser.parseArguments(bytes.part(0, first)) }
    guard case .success(let (type, arguments)) = words else { throw .malformedStanza }
    self.init(
      type: type, arguments: arguments,
      body: try Self.decode(body: bytes.part(first + 1, bytes.count - first - 1)))
  }

  private init(type: String, arguments: [String], body: consuming Secret) {
    self.type = type
    self.arguments = arguments
    self.body = body
  }

  /// All lines of a body but the last have 64 columns, so each line's position follows from its number.
  private static func decode(body text: UnsafeRawBufferPointer) throws(PluginFault) -> Secret {
    let line = Stanza.columns + 1
    let whole = text.count / line
    let last = text.count - whole * line - 1
    guard last >= 0, let lastSize = Base64.decodedSize(last) else { throw .malformedStanza }
    return try Secret(count: whole * Stanza.bytesPerLine + lastSize) {
      (body: UnsafeMutableRawBufferPointer) throws(PluginFault) in
      for number in 0...whole {
        let columns = number < whole ? Stanza.columns : last
        let size = number < whole ? Stanza.bytesPerLine : lastSize
        let place = body.part(number * Stanza.bytesPerLine, size)
        guard text[number * line + columns] == Stanza.lineFeed,
          Base64.decode(text.part(number * line, columns), into: place) == size
        else { throw .malformedStanza }
      }
    }
  }

  var text: String { body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

  /// Writes a frame to memory that is wiped, and lends it. The words must be valid arguments of a stanza; `secretWord`
  /// is one more, which is wiped.
  package static func withEncoded<R>(
    _ words: [String], secretWord: UnsafeRawBufferPointer? = nil, body: UnsafeRawBufferPointer,
    _ use: (UnsafeRawBufferPointer) throws(PluginFault) -> R
  ) throws(PluginFault) -> R {
    var text: [UInt8] = []
    let lines = body.count / Stanza.bytesPerLine + 1
    // The array never grows, so nothing stays in the allocator.
    text.reserveCapacity(
      words.reduce(4 + (secretWord?.count ?? 0)) { $0 + $1.utf8.count + 1 } + lines * (Stanza.columns + 1))
    defer { text.withUnsafeMutableBytes { $0.wipe() } }
    text.append(contentsOf: "->".utf8)
    for word in words {
      text.append(UInt8(ascii: " "))
      text.append(contentsOf: word.utf8)
    }
    if let secretWord {
      text.append(UInt8(ascii: " "))
      text.append(contentsOf: secretWord)
    }
    text.append(Stanza.lineFeed)
    Stanza.encode(body: body, appendingTo: &text)
    return try text.withUnsafeBytes { text in
      Result { () throws(PluginFault) in try use(text) }
    }.get()
  }

  /// Finds the end of the frame at the beginning of some bytes, however they arrive.
  package struct Boundary {
    private var lines = 0
    private var lineStart = 0
    private var offset = 0

    package init() {}

    /// Examines the bytes received so far, which must begin with those of the last call. Returns the frame's size; nil
    /// before its end. Throws ``PluginFault/malformedStanza`` as soon as the bytes can't become a frame, so as not to
    /// wait for a plugin that writes something else.
    package mutating func find(in bytes: UnsafeRawBufferPointer) throws(PluginFault) -> Int? {
      while let end = bytes[offset...].firstIndex(of: Stanza.lineFeed) {
        offset = end + 1
        let count = end - lineStart
        if lines == 0 {
          guard bytes.part(0, count).starts(with: "-> ") else { throw .malformedStanza }
        } else {
          guard count <= Stanza.columns else { throw .malformedStanza }
          if count < Stanza.columns { return offset }
        }
        lines += 1
        lineStart = offset
      }
      offset = bytes.count
      let begun = min(bytes.count, 3)
      guard bytes.part(0, begun).elementsEqual(("-> " as StaticString).bytes.prefix(begun)),
        lines == 0 || bytes.count - lineStart <= Stanza.columns
      else { throw .malformedStanza }
      return nil
    }
  }
}
