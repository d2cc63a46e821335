import Bytes

/// A command to paste into a shell. Each of its words stays one word, whatever it contains.
package struct ShellCommand: CustomStringConvertible {
  /// The words, quoted where a shell requires it.
  package let description: String

  package init(_ words: [any CustomStringConvertible]) {
    description = words.map { Self.quoted("\($0)") }.joined(separator: " ")
  }

  /// The command for use in a sentence: in single quotes, unless it contains some itself. Pasted with quotes around it,
  /// inner quotes would end the quoting.
  package var inSentence: String { description.contains("'") ? description : "'\(description)'" }

  /// A word in the form that reads best within the single quotes around commands in messages: unchanged, in double
  /// quotes, or in `$'…'` with escapes (POSIX.1-2024, XCU 2.2.4), so that a terminal neither acts on it nor shows it
  /// differently.
  static func quoted(_ word: String) -> String {
    func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "-_.:/@+,=".utf8.contains(byte) }
    // zsh replaces a word that begins with `=` by a program's path.
    if let first = word.utf8.first, first != UInt8(ascii: "="), word.utf8.allSatisfy(isPlain) { return word }
    let needsMore = word.unicodeScalars.contains {
      isInvisible($0) || "\"\\$`!'".unicodeScalars.contains($0)
    }
    if !needsMore { return "\"\(word)\"" }
    var text = "$'"
    for scalar in word.unicodeScalars {
      if isInvisible(scalar) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          // Three digits, so that a following digit isn't read as part of it.
          let digits = String(byte, radix: 8)
          text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
      } else {
        if scalar == "'" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }
}
