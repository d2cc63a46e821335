import Keychain
import ToolCommands

/// The characters of generated secrets.
enum Alphabet {
  /// The classes of `--alphabet`, each with its sets of characters. A secret has at least one character of each set.
  static let classes: [(name: String, sets: [String])] = [
    ("lowercase", [lowercase]), ("uppercase", [uppercase]), ("letters", [lowercase, uppercase]),
    ("digits", ["0123456789"]), ("symbols", ["!#$%&()*+,-./:;<=>?@[]^_{|}~"]),
  ]

  /// Characters that are easily mistaken for others on a screen or paper.
  static let ambiguous = "0O1lI|"

  private static let lowercase = "abcdefghijklmnopqrstuvwxyz"
  private static let uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

  /// The sets of the classes named in `text`, separated by commas.
  ///
  /// - Throws: ``KeychainError`` if there is no such class.
  static func sets(named text: String) throws(KeychainError) -> [[Unicode.Scalar]] {
    var sets: [String] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let named = classes.first(where: { $0.name == name })?.sets else {
        throw .failure(
          "there is no class of characters '\(name)'",
          hint:
            "there are \(prose: classes.map(\.name).joined(separator: ", ")); --characters takes any characters",
          status: .usage)
      }
      for set in named where !sets.contains(set) { sets.append(set) }
    }
    return sets.map { Array($0.unicodeScalars) }
  }

  /// Without duplicates.
  ///
  /// - Throws: ``KeychainError`` if one of the characters is invisible.
  static func set(of text: String) throws(KeychainError) -> [Unicode.Scalar] {
    if terminalText(text) != text {
      throw .failure("there are invisible characters among those given", status: .usage)
    }
    var scalars: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars where !scalars.contains(scalar) { scalars.append(scalar) }
    return scalars
  }
}
