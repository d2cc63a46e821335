import Age
import CZlib
import Glibc
import TestSupport
import Testing

/// A vector of the public age test kit (C2SP/CCTV, age): a description, an empty line, and an age file.
struct Vector: Sendable, CustomTestStringConvertible {
  let name: String
  let fields: [(key: String, value: String)]
  let file: [UInt8]

  var testDescription: String { name }
  var expectation: String { self["expect"] ?? "" }
  var isArmored: Bool { self["armored"] == "yes" }

  subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

  func values(_ key: String) -> [String] { fields.filter { $0.key == key }.map(\.value) }

  /// The folder of the vectors: `LLAVERO_AGE_TESTKIT`, else `shared/age-testkit` beside the package.
  static let folder: String = {
    if let path = getenv("LLAVERO_AGE_TESTKIT") { return String(cString: path) }
    guard let path = realpath(#filePath, nil) else { return "" }
    defer { free(path) }
    let parts = String(cString: path).split(separator: "/").dropLast(5)
    return "/" + parts.joined(separator: "/") + "/shared/age-testkit"
  }()

  static let isPresent = !all.isEmpty

  static let all = names(in: folder).filter { !$0.hasPrefix(".") }.compactMap(Vector.init(name:))

  init?(name: String) {
    guard let contents = try? TestSupport.contents(of: Vector.folder + "/" + name) else { return nil }
    self.name = name
    var fields: [(String, String)] = []
    var start = 0
    while let end = contents[start...].firstIndex(of: UInt8(ascii: "\n")), end > start {
      let line = String(decoding: contents[start..<end], as: UTF8.self)
      if let colon = line.firstIndex(of: ":") {
        fields.append((String(line[..<colon]), String(line[colon...].dropFirst(2))))
      }
      start = end + 1
    }
    self.fields = fields
    let file = Array(contents[min(start + 1, contents.count)...])
    let isCompressed = fields.contains { $0.0 == "compressed" }
    guard let inflated = isCompressed ? Vector.inflate(file) : file else { return nil }
    self.file = inflated
  }

  private static func inflate(_ compressed: [UInt8]) -> [UInt8]? {
    var capacity = 1 << 20
    while capacity <= 1 << 28 {
      var count = uLongf(capacity)
      var output = [UInt8](repeating: 0, count: capacity)
      let result = uncompress(&output, &count, compressed, uLong(compressed.count))
      if result == Z_OK { return Array(output[..<Int(count)]) }
      guard result == Z_BUF_ERROR else { return nil }
      capacity *= 4
    }
    return nil
  }
}
