/// Whether the bytes are well-formed UTF-8 (Unicode table 3-7). Copies nothing.
package func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil
}
