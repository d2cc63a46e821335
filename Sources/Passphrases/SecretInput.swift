package import Keychain
package import Terminals

/// Reads the secrets that commands need. They never come from an argument, which every process can read.
package enum SecretInput {
  /// Reads the secret for an item: all of standard input without a final line feed or, if that is a terminal, what the
  /// user types there twice.
  ///
  /// - Parameter mayAsk: whether the user may be asked.
  /// - Throws: ``Failure`` if it is empty or too long, or the two differ.
  package static func read(for item: String, mayAsk: Bool) throws(Failure) -> Secret {
    if !StandardStreams.isTerminal(0) {
      let secret = try StandardStreams.readAll(0, limit: ItemBounds.secret + 1, what: "the secret")
      if secret.isEmpty {
        throw Failure(
          "no secret was given on standard input", hint: "an empty line is an empty secret", status: .usage)
      }
      return secret.withoutLastLineFeed()
    }
    if !mayAsk {
      throw Failure(
        "nobody may be asked for the secret", hint: "give it on standard input", status: .usage)
    }
    return try readTwice(try terminal(), "Secret for \(item): ")
  }

  /// Reads a secret that the user types or pastes on the terminal, whatever standard input is.
  ///
  /// - Throws: ``Failure`` if there is no terminal, or nothing is typed.
  package static func ask(_ prompt: String) throws(Failure) -> Secret {
    try line(try terminal(), prompt)
  }

  private static func terminal() throws(Failure) -> Terminal {
    guard let terminal = Terminal() else {
      throw Failure(
        "there is no terminal to ask for the secret", hint: "give it on standard input", status: .usage)
    }
    return terminal
  }

  /// Reads a passphrase from a descriptor, without a final line feed.
  package static func passphrase(from descriptor: Int32) throws(Failure) -> Secret {
    try StandardStreams.readAll(
      descriptor, limit: PassphraseSources.longest, what: "the passphrase from descriptor \(descriptor)"
    ).withoutLastLineFeed()
  }

  private static func readTwice(_ terminal: borrowing Terminal, _ prompt: String) throws(Failure) -> Secret {
    for _ in 0..<PassphraseSources.tries {
      let first = try line(terminal, prompt)
      let second = try line(terminal, PassphraseQuestion.onceMore)
      if first.isEqual(to: second) { return first }
      terminal.show("The two differ.\n")
    }
    throw Failure("the two differed three times", status: .usage)
  }

  private static func line(_ terminal: borrowing Terminal, _ prompt: String) throws(Failure) -> Secret {
    switch terminal.askForSecret("\(prompt)") {
    case .line(let line): return line
    case .ended: throw Failure("nothing was typed", status: .usage)
    case .unusable: throw Failure("the terminal's echo can't be switched off", status: .usage)
    case .tooLong:
      throw Failure(
        "a terminal takes \(Terminal.longestLine) bytes at most", hint: "give it on standard input",
        status: .usage)
    }
  }
}
