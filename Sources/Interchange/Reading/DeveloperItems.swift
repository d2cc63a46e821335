import Bytes
import Keychain

extension Item {
  /// An item by which a program asks for its own name of something.
  ///
  /// - Parameter service: `TOOL:NAME`.
  init(service: String, account: ByteString? = nil, label: ByteString? = nil) {
    self.init(.genericPassword(GenericPassword(service: ByteString(service), account: account.nonEmpty)))
    self.label = label.nonEmpty
  }
}

extension INIDocument {
  /// - Parameter reason: why it isn't the expected file if it has no sections, but something else.
  init(_ text: UnsafeRawBufferPointer, orElse reason: String) throws(FormatFault) {
    self.init(text)
    if sections.isEmpty, !text.trimmedSlice.isEmpty { throw FormatFault(reason) }
  }
}

extension TOMLDocument {
  /// - Throws: ``FormatFault`` if nothing in the file could be read.
  init(_ text: UnsafeRawBufferPointer, that word: String) throws(FormatFault) {
    self.init(text)
    if entries.isEmpty, let line = malformedLines.first {
      throw FormatFault("it is not TOML that \(word)", line: line)
    }
  }
}
