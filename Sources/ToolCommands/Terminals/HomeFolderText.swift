import Bytes
import EncryptedFile

/// Rows of a table about llavero's own files, with `~` for the home folder.
package func withTilde(_ rows: [[String]]) -> [[String]] { rows.map { $0.map { withTilde($0) } } }

/// The text with `~` for the home folder at the beginning of a path, as people write it and a shell reads it back.
///
/// A path in quotes stays whole, because a shell wouldn't.
package func withTilde(_ text: String) -> String {
  guard let home = VaultLocation.environmentVariable("HOME"), home.hasPrefix("/"), home.count > 1,
    !home.hasSuffix("/"), text.hasPart(home)
  else { return text }
  var (result, rest) = ("", text[...])
  while let range = rest.rangeOfPart(home) {
    let before = rest[..<range.lowerBound].last ?? result.last
    let after = rest[range.upperBound...].first
    let isPath = (before.map { " (\n\t".contains($0) } ?? true) && after == "/"
    result += rest[..<range.lowerBound] + (isPath ? "~" : home)
    rest = rest[range.upperBound...]
  }
  return result + rest
}
