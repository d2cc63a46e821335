import Interchange
import Keychain

extension Origin {
  /// The number of a line, or the name of an entry.
  var shown: String {
    switch self {
    case .line(let number): "\(number)"
    case .lines(let numbers): "\(numbers.lowerBound)-\(numbers.upperBound)"
    case .machine(let name, let number): "\(number) (\(name))"
    case .entry(let name): "\(name)"
    }
  }
}

/// The logins found in a text, in a form that can be compared.
struct Found: Equatable, CustomStringConvertible {
  var logins: [String] = []
  var passedOver: [PassedOver] = []
  var secrets: [[UInt8]] = []
  var labels: [String?] = []
  var origins: [Origin] = []

  /// Reads a file in a format.
  init(_ text: String, as format: FileFormat, paths: PathChoice? = nil) throws {
    self.init(try FoundLogins(Array(text.utf8), as: format, paths: paths))
  }

  /// Reads a sample.
  init(sample name: String, as format: FileFormat, beside companion: String? = nil) throws {
    try self.init(try Sample.bytes(of: name), as: format, beside: try companion.map(Sample.bytes(of:)))
  }

  /// Reads a file in a format.
  init(_ bytes: [UInt8], as format: FileFormat, beside companion: [UInt8]? = nil) throws {
    self.init(try FoundLogins(bytes, as: format, beside: companion))
  }

  /// Converts logins to a form that can be compared.
  init(_ found: FoundLogins) {
    logins = found.logins.map { login in
      let secret = login.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      let leftBehind = login.leftBehind.map { " + \($0)" }.joined()
      let address = login.item.address.map { " at \($0)" } ?? ""
      return "\(login.item.key.name) \(secret)\(address)\(leftBehind)"
    }
    secrets = found.logins.map { $0.credential.secret.withUnsafeBytes { Array($0) } }
    labels = found.logins.map { $0.item.label?.description }
    origins = found.logins.map(\.origin)
    passedOver = found.passedOver
  }

  /// The short reasons why entries were skipped.
  var reasons: [String] { passedOver.map { "\($0.origin.shown) \($0.reason)" } }

  var description: String { "\(logins) \(passedOver.map { "\($0.origin) \($0.reason)" })" }
}

/// What a text has in a format: its logins, and why others were skipped.
func result(of text: String, _ format: FileFormat) throws -> [String] {
  let found = try Found(text, as: format)
  return found.logins + found.reasons
}

extension FoundLogins {
  /// Reads a file in a format.
  init(
    _ bytes: [UInt8], as format: FileFormat, beside companion: [UInt8]? = nil, paths: PathChoice? = nil
  ) throws {
    self = try bytes.withUnsafeBytes { bytes in
      guard let companion else { return try format.read(bytes, paths: paths) }
      return try companion.withUnsafeBytes { try format.read(bytes, beside: $0, paths: paths) }
    }
  }
}

/// What takes the place of the logins of a text: lines, and commands without `llavero run --env`.
func instead(of text: String, _ format: FileFormat) throws -> [String] {
  try FoundLogins(Array(text.utf8), as: format).logins.flatMap { $0.instead(in: format) }
}

extension FoundLogin {
  /// The line and the command that take its place in a file of that format.
  func instead(in format: FileFormat) -> [String] {
    guard let instead = format.instead(of: self) else { return [] }
    return (instead.line.map { [$0] } ?? []) + [instead.command.dropFirst(3).joined(separator: " ")]
  }
}

/// The file after all logins found in it have been removed.
func remainder(of text: String, as format: FileFormat) throws -> String {
  String(decoding: try remainder(of: Array(text.utf8), as: format), as: UTF8.self)
}

/// The file after all logins found in it have been removed.
func remainder(
  of bytes: [UInt8], as format: FileFormat, beside companion: [UInt8]? = nil
) throws -> [UInt8] {
  let found = try FoundLogins(bytes, as: format, beside: companion)
  return try bytes.withUnsafeBytes { file in
    let rest = try SourceText(file).file(file, after: Set(found.logins.flatMap(\.removals)))
    return rest.withUnsafeBytes { Array($0) }
  }
}

/// Logins with everything that they have, in a form that can be compared.
struct WholeLogins {
  let lines: [String]

  init(_ found: FoundLogins) {
    lines =
      found.logins.map { Self.line($0) } + Found(found).reasons.map { "skipped \($0)" }
      + found.bookkeeping.map { "without \($0)" } + (found.hasOthers ? ["others"] : [])
  }

  private static func line(_ login: FoundLogin) -> String {
    let item = login.item
    var parts = [
      "\(item.key.name) \(login.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })"
    ]
    func add(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { parts.append("\(name) \(text)") }
    }
    add("called", item.label?.description)
    add("a", item.itemDescription?.description)
    add("at", item.addresses.map(\.description).joined(separator: " "))
    add("comment", item.comment?.description)
    switch login.credential.further.oneTimeCode {
    case .none: break
    case .some(let code): add("code", code.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    add("tags", item.tags.map(\.description).joined(separator: ", "))
    add("fields", item.fields.map { "\($0)=\($1)" }.joined(separator: ", "))
    var hidden: [String] = []
    login.credential.further.forEachField { hidden.append("\($0)=\(String(decoding: $1, as: UTF8.self))") }
    add("hidden", hidden.joined(separator: ", "))
    add("until", login.credential.expiry.map { "\(Timestamp(seconds: $0))" })
    add("created", item.creationDate?.description)
    add("changed", item.modificationDate?.description)
    add("left", login.leftBehind.joined(separator: ", "))
    return parts.joined(separator: "; ").inOneLine
  }
}

extension String {
  /// The text with its line breaks escaped.
  var inOneLine: String {
    replacing("\r\n", with: "\\r\\n").replacing("\r", with: "\\r").replacing("\n", with: "\\n")
  }
}
