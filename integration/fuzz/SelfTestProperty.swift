import Bytes
import Properties

@testable import Age

/// Three deliberate errors, which show whether the fuzzer finds any.
enum SelfTestProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    if input.elementsEqual("slice".utf8) {
      // Within the input's memory, so that only the buffer's own bounds check can detect it.
      let slice = UnsafeRawBufferPointer(rebasing: input[..<2])
      try require(slice[Int(input[0]) % 3 + 1] != 0, "unreachable")
    }
    if input.elementsEqual("memory".utf8), let base = input.baseAddress {
      try require(base.load(fromByteOffset: input.count, as: UInt8.self) != 0, "unreachable")
    }
    let header = try? Header(parsing: input)
    try require(header?.stanzas.first?.arguments.count != 4, "no stanza has four arguments")
  }
}
