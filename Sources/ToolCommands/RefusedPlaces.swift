import Bytes
package import Keychain
import PrivateFiles

/// The file `refused` of the state folder: the parts of servers where a password from any keychain was refused on this
/// machine within the last hour.
///
/// Each line is `TIME HASH`: seconds since 1970, and the FNV-1a hash of server, account and path. So the file names
/// none of them.
package struct RefusedPlaces {
  private let file: StateLines

  /// How long a refusal is remembered, in seconds: a person looks for the new password meanwhile.
  private static let memory: Int64 = 3600

  package init(in stateFolder: String) { file = StateLines("refused", in: stateFolder) }

  /// Remembers a place. If that fails, its next password is stored for the path that git names.
  package func add(_ key: InternetPassword, at now: Timestamp = .now) {
    let hash = Self.hash(key)
    _ = try? file.change { lines in
      lines.removeAll { Self.hash(in: $0, at: now) == nil || Self.hash(in: $0, at: now) == hash }
      lines.append("\(now.seconds) \(hash)")
    }
  }

  /// The path of a remembered place at or above a login's path; if there are several, the one refused last.
  ///
  /// - Parameter key: the login's place and account.
  package func path(above key: InternetPassword, at now: Timestamp = .now) -> ByteString? {
    guard let path = key.path, let lines = try? file.read(), !lines.isEmpty else { return nil }
    var paths: [String: ByteString] = [:]
    for above in Self.paths(answeringFor: path) {
      var place = key
      place.path = above
      paths[Self.hash(place)] = above
    }
    return lines.lazy.reversed().compactMap { Self.hash(in: $0, at: now).flatMap { paths[$0] } }.first
  }

  /// How many folders above a path are tried: no organisation lies deeper, and some paths have thousands.
  private static let depth = 64

  private static func paths(answeringFor path: ByteString) -> [ByteString] {
    let slash = UInt8(ascii: "/")
    let ends = path.bytes.indices.lazy.filter { path.bytes[$0] == slash }.prefix(depth) + [path.bytes.count]
    let above = ends.map { ByteString(Array(path.bytes[..<$0])) }
    let suffix = Array(".git".utf8)
    let others = above.flatMap { folder in
      folder.bytes.count > suffix.count && folder.bytes.suffix(suffix.count).elementsEqual(suffix)
        ? [ByteString(Array(folder.bytes.dropLast(suffix.count)))] : [ByteString(folder.bytes + suffix)]
    }
    return (above + others).filter { $0.lengthOfAnswer(to: path) != nil }
  }

  /// The hash of a line; `nil` if it has expired.
  private static func hash(in line: String, at now: Timestamp) -> String? {
    let words = line.split(separator: " ")
    guard words.count == 2, let time = Int64(words[0]), 0..<memory ~= now.seconds - time else { return nil }
    return String(words[1])
  }

  private static func hash(_ key: InternetPassword) -> String {
    let key = key.primaryKey
    var path = key.path?.bytes ?? []
    while path.last == UInt8(ascii: "/") { path.removeLast() }
    var bytes = key.protocol.bytes
    for part in [key.server?.bytes, key.port.map { Array("\($0)".utf8) }, key.account?.bytes, path] {
      bytes += [part == nil ? 0 : 1] + (part ?? []) + [0]
    }
    return String(fnv1a(bytes), radix: 16)
  }
}
