import Bytes
import Keychain
import SecretService

extension ObjectPath {
  static let collections = service + "/collection"
  static let aliases = service + "/aliases"
  static let sessions = service + "/session"
  static let prompts = service + "/prompt"
  static let portal = "/org/freedesktop/portal/desktop"
  static let portalRequests = portal + "/request"

  static func collection(_ name: ByteString) -> String { "\(collections)/\(encoded(name))" }

  static func item(_ identifier: ByteString, in collection: ByteString) -> String {
    "\(self.collection(collection))/\(encoded(identifier))"
  }

  static func session(_ number: Int) -> String { "\(sessions)/\(number)" }

  static func prompt(_ number: Int) -> String { "\(prompts)/\(number)" }

  /// The number at the end of a path right below a folder; `nil` for any other path.
  static func number(_ path: String, in folder: String) -> Int? {
    let number = Int(path.dropFirst(folder.count + 1))
    return number.flatMap { path == "\(folder)/\($0)" ? $0 : nil }
  }

  /// The parts of a path below the service's; `nil` for any other path.
  static func parts(_ path: String) -> [Substring]? {
    guard path.hasPrefix(service + "/") else { return nil }
    return path.dropFirst(service.count + 1).split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Whether a path leads to a collection or an item that isn't only in memory, whether there is one or not.
  static func isInKeychain(_ path: String) -> Bool {
    guard let parts = self.parts(path), parts.count > 1 else { return false }
    return ["collection", "aliases"].contains(parts[0]) && parts[1] != CollectionName.session.description
  }

  /// A name as part of a path, which may contain only letters, digits and underscores (D-Bus specification, "Valid
  /// Object Paths"): every other byte becomes `_` and two hexadecimal digits.
  static func encoded(_ name: ByteString) -> String {
    var text: [UInt8] = []
    for byte in name.bytes {
      if byte.isLetterOrDigit {
        text.append(byte)
      } else {
        text.append(escaped: byte, mark: escapeMark, isCapital: false)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The name encoded in a part of a path; `nil` if it isn't a valid encoding.
  static func decoded(_ text: String) -> ByteString? {
    PercentEncoding.decoded(text.utf8, mark: escapeMark).map { ByteString($0) }
  }
}
