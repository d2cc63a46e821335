import Interchange
import Keychain

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
