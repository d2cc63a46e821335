extension ByteString {
  /// Whether `path` is this path or below it: `acme` and `acme/` contain `acme/app.git`, but not `acmeister`.
  package func isWholeSegmentPrefix(of path: ByteString) -> Bool {
    let slash = UInt8(ascii: "/")
    let prefix = bytes.last == slash ? bytes.dropLast() : bytes[...]
    guard path.bytes.starts(with: prefix) else { return false }
    let rest = path.bytes[prefix.count...]
    return rest.allSatisfy { $0 == slash } || rest.first == slash && !path.hasDotSegment
  }

  /// How much of `path` an item's path stands for, if it answers: the whole path, one above it, or the same repository
  /// with or without `.git` at its end, as git servers take both. A larger number answers better.
  package func lengthOfAnswer(to path: ByteString) -> Int? {
    if isWholeSegmentPrefix(of: path) { return 2 * bytes.count + 1 }
    let suffix = Array(".git".utf8)
    let name = bytes.prefix(bytes.count - bytes.reversed().prefix { $0 == UInt8(ascii: "/") }.count)
    guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else {
      if name.isEmpty { return nil }
      // git-lfs asks below it: acme/app.git/info/lfs.
      let repository = ByteString(name + suffix)
      return repository.isWholeSegmentPrefix(of: path) ? 2 * repository.bytes.count : nil
    }
    let rest = name.dropLast(suffix.count)
    // A path below the name without `.git` is another repository.
    guard rest.last != UInt8(ascii: "/"), path.bytes.starts(with: rest),
      path.bytes.dropFirst(rest.count).allSatisfy({ $0 == UInt8(ascii: "/") })
    else { return nil }
    return 2 * rest.count
  }

  /// Whether both paths are the same repository or folder.
  package func isSamePlace(as other: ByteString) -> Bool {
    lengthOfAnswer(to: other) != nil && other.lengthOfAnswer(to: self) != nil
  }

  /// Whether a segment is `.` or `..`, also percent-encoded. Once a client or a server resolves them, such segments
  /// lead out of the path's first folder (RFC 3986 section 5.2.4).
  package var hasDotSegment: Bool {
    var segment: [UInt8] = []
    var index = 0
    func isDots() -> Bool { segment == [0x2e] || segment == [0x2e, 0x2e] }
    while index < bytes.count {
      var byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "2") {
        switch bytes[index + 2] | 0x20 {
        case UInt8(ascii: "e"): (byte, index) = (UInt8(ascii: "."), index + 2)
        case UInt8(ascii: "f"): (byte, index) = (UInt8(ascii: "/"), index + 2)
        default: break
        }
      }
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") {
        if isDots() { return true }
        segment = []
      } else {
        segment.append(byte)
      }
      index += 1
    }
    return isDots()
  }
}
