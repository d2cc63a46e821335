import Foundation

/// What OpenSSH's own programs made; `Samples/make` says how.
enum OpenSSHSamples {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")

  static func file(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: name)))
  }

  /// The values in base64 of the lines with these names.
  private static func lines(_ name: String) throws -> [(name: String, values: [[UInt8]])] {
    String(decoding: try file(name), as: UTF8.self).split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], words.dropFirst().map { Array(Data(base64Encoded: $0) ?? Data()) })
    }
  }

  private static func values(_ file: String, _ name: String) throws -> [[UInt8]] {
    try lines(file).first { $0.name == name }?.values ?? []
  }

  static func names(_ file: String) -> [String] { ((try? lines(file)) ?? []).map(\.name) }

  static func key(_ name: String) throws -> [UInt8] { try values("keys", name)[0] }

  static func certificate(_ name: String) throws -> [UInt8] { try values("certificates", name)[0] }

  static func signature(
    _ name: String, in file: String = "signatures"
  ) throws -> (key: [UInt8], message: [UInt8], signature: [UInt8]) {
    let values = try values(file, name)
    return (values[0], values[1], values[2])
  }
}
