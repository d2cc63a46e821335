func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
  text.split(separator: 0x0a, omittingEmptySubsequences: false)
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
