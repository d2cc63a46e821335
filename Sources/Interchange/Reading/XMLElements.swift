import Bytes
import CExpat
import Glibc
import Keychain

/// An element of an XML file. A class, because confidential texts can't be elements of an array.
final class XMLElement {
  let name: ByteString
  /// The names of its attributes, and the ranges of their values in one text: these may be confidential.
  private let attributeRanges: [(name: ByteString, value: Range<Int>)]
  private let attributeText: Secret
  /// The bytes of the file from its first tag to its last one.
  fileprivate(set) var range: Range<Int>
  let line: Int
  /// The child elements, except those taken by the reader.
  fileprivate(set) var children: [XMLElement] = []
  /// Whether it has comments, outside its child elements.
  fileprivate(set) var hasComments = false
  fileprivate(set) var text = Secret()

  /// - Parameter attributes: alternating names and values, up to `nil`.
  fileprivate init(
    _ name: ByteString, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?, at start: Int, line: Int
  ) {
    self.name = name
    self.line = line
    range = start..<start
    var ranges: [(name: ByteString, value: Range<Int>)] = []
    var text = Secret()
    var next = attributes
    while let name = next?[0], let value = next?[1] {
      let start = text.count
      text.append(UnsafeRawBufferPointer(start: value, count: strlen(value)))
      ranges.append((ByteString(String(cString: name)), start..<text.count))
      next = next?.advanced(by: 2)
    }
    attributeRanges = ranges
    attributeText = text
  }

  /// Its attributes, if they are not confidential.
  var attributes: [(name: ByteString, value: ByteString)] {
    attributeText.withUnsafeBytes { text in
      attributeRanges.map { ($0.name, ByteString(text.slice($0.value))) }
    }
  }

  /// The value of an attribute, if it is confidential; may be empty.
  func secret(_ attribute: ByteString) -> Secret {
    guard let range = attributeRanges.first(where: { $0.name == attribute })?.value else { return Secret() }
    return attributeText.withUnsafeBytes { Secret(copying: $0.slice(range)) }
  }

  /// The value of an attribute, if it is not confidential; `nil` if there is none.
  func attribute(_ name: ByteString) -> ByteString? { attributes.first { $0.name == name }?.value }

  func child(_ name: ByteString) -> XMLElement? { children.first { $0.name == name } }

  /// The text of the first child element with a name, if it is not confidential; may be empty.
  func string(_ name: ByteString) -> ByteString { child(name)?.string ?? "" }

  var string: ByteString { ByteString(text) }
}

/// Receives elements that have been read.
protocol XMLElementReader: AnyObject {
  /// Receives an element at its end.
  ///
  /// - Parameter ancestors: its ancestors, the outermost first, with their contents before it.
  /// - Returns: whether its parent keeps it.
  func ended(_ element: XMLElement, in ancestors: [XMLElement]) -> Bool
}

/// Reads XML with libexpat, without document type definitions: no program that keeps passwords writes any, and they can
/// be made to fill the memory.
final class XMLFile {
  private let reader: any XMLElementReader
  private let parser: XML_Parser
  private var open: [XMLElement] = []

  /// The maximum depth of elements.
  private static let maximumDepth = 256

  private init?(_ reader: any XMLElementReader) {
    // Its contents are confidential, and wiped before the memory is reused.
    var memory = XML_Memory_Handling_Suite(
      malloc_fcn: { malloc($0) }, realloc_fcn: { reallocated($0, $1) }, free_fcn: { release($0) })
    guard let parser = XML_ParserCreate_MM("UTF-8", &memory, nil) else { return nil }
    self.parser = parser
    self.reader = reader
  }

  deinit { XML_ParserFree(parser) }

  /// Reads a file in UTF-8.
  ///
  /// - Throws: ``FormatFault`` with the line that isn't XML.
  static func read(_ text: UnsafeRawBufferPointer, _ reader: any XMLElementReader) throws(FormatFault) {
    guard let file = XMLFile(reader), let count = Int32(exactly: text.count) else {
      throw FormatFault("it is too large")
    }
    let parser = file.parser
    XML_SetUserData(parser, Unmanaged.passUnretained(file).toOpaque())
    XML_SetElementHandler(
      parser,
      { XMLFile.of($0)?.begin($1, $2) },
      { file, _ in XMLFile.of(file)?.end() })
    XML_SetCharacterDataHandler(parser) { XMLFile.of($0)?.append($1, $2) }
    XML_SetCommentHandler(parser) { file, _ in XMLFile.of(file)?.open.last?.hasComments = true }
    XML_SetStartDoctypeDeclHandler(parser) { file, _, _, _, _ in XMLFile.of(file)?.stop() }
    let bytes = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    let status = withExtendedLifetime(file) { XML_Parse(parser, bytes, count, 1) }
    if status != XML_STATUS_OK {
      throw FormatFault("it is not XML", line: Int(XML_GetCurrentLineNumber(parser)))
    }
  }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLFile? {
    pointer.map { Unmanaged<XMLFile>.fromOpaque($0).takeUnretainedValue() }
  }

  private func stop() { XML_StopParser(parser, 0) }

  private func begin(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name, open.count < Self.maximumDepth else { return stop() }
    open.append(
      XMLElement(
        ByteString(String(cString: name)), attributes, at: XML_GetCurrentByteIndex(parser),
        line: Int(XML_GetCurrentLineNumber(parser))))
  }

  private func end() {
    guard let element = open.popLast() else { return stop() }
    let end = XML_GetCurrentByteIndex(parser) + Int(XML_GetCurrentByteCount(parser))
    element.range = element.range.lowerBound..<max(end, element.range.lowerBound)
    if reader.ended(element, in: open) { open.last?.children.append(element) }
  }

  private func append(_ text: UnsafePointer<CChar>?, _ count: Int32) {
    open.last?.text.append(UnsafeRawBufferPointer(start: text, count: Int(count)))
  }
}

private func release(_ memory: UnsafeMutableRawPointer?) {
  guard let memory else { return }
  UnsafeMutableRawBufferPointer(start: memory, count: malloc_usable_size(memory)).wipe()
  free(memory)
}

private func reallocated(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
  guard let moved = malloc(size) else { return nil }
  if let memory {
    memcpy(moved, memory, min(size, malloc_usable_size(memory)))
    release(memory)
  }
  return moved
}
