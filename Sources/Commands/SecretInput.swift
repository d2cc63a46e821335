import Keychain

/// Where a command gets a secret from: never from an argument, which every process can read.
enum SecretInput {
  /// The secret for an item: all of standard input without one last line feed, or if that is a terminal, what
  /// the person types there twice.
  ///
  /// - Throws: ``Failure`` if there is nothing, too much, or the two don't agree.
  static func read(for item: String) throws(Failure) -> Secret {
    if !StandardStreams.isTerminal(0) {
      let secret = try StandardStreams.readAll(0, limit: ItemBounds.secret + 1, what: "the secret")
      if secret.isEmpty {
        throw Failure(
          "no secret was given on standard input", hint: "an empty line is an empty secret", status: .usage)
      }
      return withoutLastLineFeed(secret)
    }
    guard let terminal = Terminal() else {
      throw Failure(
        "there is no terminal to ask for the secret", hint: "give it on standard input", status: .usage)
    }
    return try readTwice(terminal, "Secret for \(terminalText(item)): ")
  }

  /// A passphrase for a new keychain: from a descriptor, or what the person types twice.
  ///
  /// - Throws: ``Failure`` if there is none, it is empty, or the two don't agree.
  static func newPassphrase(descriptor: Int32?) throws(Failure) -> Secret {
    let passphrase: Secret
    if let descriptor {
      passphrase = try Self.passphrase(from: descriptor)
    } else if let terminal = Terminal() {
      passphrase = try readTwice(terminal, "New passphrase: ")
    } else {
      throw Failure(
        "there is no terminal to ask for the passphrase", hint: "give it with --passphrase-fd", status: .usage
      )
    }
    if passphrase.isEmpty { throw Failure("the passphrase is empty", status: .usage) }
    return passphrase
  }

  /// A passphrase from a descriptor, without one last line feed.
  static func passphrase(from descriptor: Int32) throws(Failure) -> Secret {
    withoutLastLineFeed(
      try StandardStreams.readAll(
        descriptor, limit: 65_536, what: "the passphrase from descriptor \(descriptor)"))
  }

  private static func readTwice(_ terminal: borrowing Terminal, _ prompt: String) throws(Failure) -> Secret {
    for _ in 0..<3 {
      guard let first = terminal.askForSecret(prompt), let second = terminal.askForSecret("Once more: ")
      else {
        throw Failure("nothing was typed", status: .usage)
      }
      if first.isEqual(to: second) { return first }
      terminal.show("The two differ.\n")
    }
    throw Failure("the two differed three times", status: .usage)
  }

  private static func withoutLastLineFeed(_ secret: consuming Secret) -> Secret {
    var secret = secret
    let endsWithLineFeed = secret.withUnsafeBytes { $0.last == 0x0a }
    if endsWithLineFeed { secret.truncate(to: secret.count - 1) }
    return secret
  }
}
