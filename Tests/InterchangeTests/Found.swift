import Interchange
import Keychain

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
  var reasons: [String] {
    passedOver.map { passed in
      switch passed.origin {
      case .line(let number): "\(number) \(passed.reason)"
      case .lines(let numbers): "\(numbers.lowerBound)-\(numbers.upperBound) \(passed.reason)"
      case .machine(let name, let number): "\(number) (\(name)) \(passed.reason)"
      case .entry(let name): "\(name) \(passed.reason)"
      }
    }
  }

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
