/// A word of a command line as typed, with quotes and backslashes.
struct ShellWord {
  /// The quote that is still open at the end of the word.
  enum Quote { case none, single, double }

  /// The word without its quotes. Variables such as `$NAME` are not expanded.
  private(set) var text = ""
  private(set) var quote = Quote.none
  /// The length of `text` up to the last open quote, or else to the last separator.
  private(set) var kept = 0

  /// Splits a line into words (POSIX.1-2024, XCU 2.2).
  ///
  /// - Parameter wordBreaks: the unquoted characters at which the shell ends a word that it completes.
  static func words(of line: String, wordBreaks: String = "") -> [ShellWord] {
    var words: [ShellWord] = []
    var word = ShellWord()
    var hasBegun = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        isEscaped = false
        // In double quotes a backslash is literal before most characters.
        if word.quote == .double, !"$`\"\\".contains(character) { word.append("\\") }
        word.append(character)
        continue
      }
      switch (word.quote, character) {
      case (.single, "'"), (.double, "\""): word.quote = .none
      case (.none, "\\"), (.double, "\\"):
        isEscaped = true
        hasBegun = true
      case (.none, "'"), (.none, "\""):
        word.quote = character == "'" ? .single : .double
        word.kept = word.text.count
        hasBegun = true
      case (.none, _) where character == " " || character == "\t" || character == "\n":
        if hasBegun { words.append(word) }
        word = ShellWord()
        hasBegun = false
      default:
        word.append(character)
        hasBegun = true
        if word.quote == .none, wordBreaks.contains(character) { word.kept = word.text.count }
      }
    }
    // The last word is the one being typed, even if it is still empty.
    words.append(word)
    return words
  }

  private mutating func append(_ character: Character) { text.append(character) }

  /// The words that fish passes: all but the last are already unquoted.
  static func withoutLastQuote(_ words: ArraySlice<String>) -> [String] {
    guard let last = words.last else { return [] }
    return words.dropLast() + [Self.words(of: last).map(\.text).joined(separator: " ")]
  }
}

/// The command line that bash passes, up to the cursor, and the format of the answers it expects.
struct BashLine {
  private let typed: [ShellWord]

  /// - Parameter wordBreaks: `COMP_WORDBREAKS`.
  init(_ line: String, wordBreaks: String) {
    // Readline doesn't end a word at quoting characters.
    typed = ShellWord.words(of: line, wordBreaks: wordBreaks.filter { !"\"' \t\n".contains($0) })
  }

  var words: [String] { typed.map(\.text) }

  /// The contents of `COMPREPLY`: for each candidate with the typed prefix, the replacement of the word after its last
  /// separator, quoted like the word.
  func replies(to candidates: [CompletionCandidate]) -> [String] {
    guard let word = typed.last else { return [] }
    return candidates.compactMap { candidate in
      guard candidate.text.hasPrefix(word.text) else { return nil }
      let rest = candidate.text.dropFirst(word.kept)
      switch word.quote {
      case .none: return Self.escaped(rest)
      // Nothing can be escaped in single quotes, so such a candidate can't be offered.
      case .single: return rest.contains("'") ? nil : String(rest)
      case .double: return rest.reduce(into: "") { $0 += "$`\"\\".contains($1) ? "\\\($1)" : "\($1)" }
      }
    }
  }

  private static func escaped(_ text: Substring) -> String {
    var escaped = ""
    for (index, character) in text.enumerated() {
      let isSafe =
        !character.isASCII || character.isLetter || character.isNumber || "%+,-./:=@_".contains(character)
        || (character == "~" && index > 0)
      escaped += isSafe ? "\(character)" : "\\\(character)"
    }
    return escaped
  }
}
