import Bytes

/// The bytes of hexadecimal digits; spaces and line feeds don't count.
func bytes(_ digits: String) -> [UInt8] {
  let values = digits.utf8.compactMap { hexadecimalValue($0) }
  return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}

/// A secret of these bytes.
func secret(_ bytes: [UInt8]) -> Secret { Secret(copying: ByteString(bytes)) }
