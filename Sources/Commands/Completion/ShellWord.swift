/// A word of a command line as it was typed, with quotes and backslashes in it.
struct ShellWord {
  /// What quotes the end of the word, where that is not closed yet.
  enum Quote { case none, single, double }

  /// The word without its quotes. What a shell would put in the place of `$NAME` and the like is not known.
  private(set) var text = ""
  private(set) var quote = Quote.none
  /// How much of `text` stands before the last quote that is open, else before what follows the last separator.
  private(set) var kept = 0

  /// Takes the words of a line apart (POSIX.1-2024, XCU 2.2).
  ///
  /// - Parameter wordBreaks: what the shell takes for the end of a word that it completes, where it isn't quoted.
  static func words(of line: String, wordBreaks: String = "") -> [ShellWord] {
    var words: [ShellWord] = []
    var word = ShellWord()
    var hasBegun = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        isEscaped = false
        // In double quotes a backslash stands for itself before most characters.
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
    // The last one is what is being typed, if only just.
    words.append(word)
    return words
  }

  private mutating func append(_ character: Character) { text.append(character) }

  /// The words as fish gives them: all but the last are without quotes already.
  static func withoutLastQuote(_ words: ArraySlice<String>) -> [String] {
    guard let last = words.last else { return [] }
    return words.dropLast() + [Self.words(of: last).map(\.text).joined(separator: " ")]
  }
}

/// What bash has of a command line up to the cursor, and what it takes for an answer.
struct BashLine {
  private let typed: [ShellWord]

  /// - Parameter wordBreaks: `COMP_WORDBREAKS`.
  init(_ line: String, wordBreaks: String) {
    // Readline doesn't end a word at those that quote.
    typed = ShellWord.words(of: line, wordBreaks: wordBreaks.filter { !"\"' \t\n".contains($0) })
  }

  var words: [String] { typed.map(\.text) }

  /// What is to stand in `COMPREPLY`: of each candidate that begins as the last word does, what takes the place of the
  /// word since its last separator, quoted as the word is.
  func replies(to candidates: [CompletionCandidate]) -> [String] {
    guard let word = typed.last else { return [] }
    return candidates.compactMap { candidate in
      guard candidate.text.hasPrefix(word.text) else { return nil }
      let rest = candidate.text.dropFirst(word.kept)
      switch word.quote {
      case .none: return Self.escaped(rest)
      // Nothing can be quoted there, and what ends the quote would be taken for its end.
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
