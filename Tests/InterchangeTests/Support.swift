import Glibc
import Interchange
import Keychain
import Testing

/// The logins found in a text, in a form that can be compared.
struct Found: Equatable, CustomStringConvertible {
  var logins: [String] = []
  var passedOver: [PassedOver] = []
  var secrets: [[UInt8]] = []
  var labels: [String?] = []
  var origins: [Origin] = []

  /// Reads a file in a format.
  init(_ text: String, as format: FileFormat) throws {
    try self.init(Array(text.utf8), as: format)
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
      return "\(login.item.key.name) \(secret)\(leftBehind)"
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
      case .machine(let name, let number): "\(number) (\(name)) \(passed.reason)"
      case .entry(let name): "\(name) \(passed.reason)"
      }
    }
  }

  var description: String { "\(logins) \(passedOver.map { "\($0.origin) \($0.reason)" })" }
}

extension FoundLogins {
  /// Reads a file in a format.
  init(_ bytes: [UInt8], as format: FileFormat, beside companion: [UInt8]? = nil) throws {
    self = try bytes.withUnsafeBytes { bytes in
      guard let companion else { return try format.read(bytes) }
      return try companion.withUnsafeBytes { try format.read(bytes, beside: $0) }
    }
  }
}

/// A file as another program writes it.
enum Sample {
  /// All samples.
  static let names = [
    "1password.csv", "bitwarden.csv", "bitwarden.json", "cargo-config.toml", "cargo-credentials.toml",
    "chrome.csv",
    "docker-config.json", "docker-login.json", "firefox.csv", "gh-hosts-2.40.yml", "gh-hosts.yml",
    "keepassxc.csv",
    "keyring_pass.cfg", "netrc", "pypirc", "skopeo-auth.json", "vault.jsonl",
  ]

  /// The contents of the sample with this name.
  static func bytes(of name: String) throws -> [UInt8] {
    let folder = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Samples"
    let file = try #require(fopen("\(folder)/\(name)", "rb"), "there is a sample \(name)")
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
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
  var bytes = bytes
  let found = try FoundLogins(bytes, as: format, beside: companion)
  for removal in Set(found.logins.flatMap(\.removals)).sorted(by: {
    $0.range.lowerBound > $1.range.lowerBound
  }) {
    bytes.replaceSubrange(removal.range, with: removal.replacement.bytes)
  }
  return bytes
}
