import Bytes

/// Confidential fields, to look up by name.
package struct NamedValues: ~Copyable {
  private var values = Secret()
  private var ranges: [ByteString: Range<Int>] = [:]

  /// The hidden fields of an item.
  package init(_ further: borrowing FurtherSecrets) {
    further.forEachField { add($0, $1) }
  }

  /// An item's shown fields.
  package init(_ fields: [(name: ByteString, value: ByteString)]) {
    for (name, value) in fields { value.bytes.withUnsafeBytes { add(name, $0) } }
  }

  private mutating func add(_ name: ByteString, _ value: UnsafeRawBufferPointer) {
    let start = values.count
    values.append(value)
    ranges[name] = start..<values.count
  }

  /// Lends a field's value. Returns whether there is one of this name.
  package borrowing func lend(_ name: ByteString, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
    guard let range = ranges[name] else { return false }
    values.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    return true
  }

  package borrowing func has(_ name: ByteString) -> Bool { ranges[name] != nil }

  package borrowing func isSame(_ value: UnsafeRawBufferPointer, as name: ByteString) -> Bool {
    var isSame = false
    _ = lend(name) { isSame = $0.elementsEqual(value) }
    return isSame
  }

  /// Whether a field of this name has this value, or one with a number behind the taken name.
  package borrowing func has(_ value: UnsafeRawBufferPointer, as name: ByteString) -> Bool {
    var (free, number) = (name, 1)
    while has(free) {
      if isSame(value, as: free) { return true }
      number += 1
      free = ByteString("\(name) \(number)")
    }
    return false
  }
}
