import Bytes
import CredentialProtocols
import Glibc
package import Keychain

/// Reads the secrets that commands need. They never come from an argument, which every process can read.
package enum SecretInput {
  /// Reads an item's secret: all of standard input without a final line feed or, if that is a terminal, what you type
  /// there twice.
  ///
  /// - Throws: ``KeychainError`` if nothing comes from standard input, if it is too long, if the two differ, or if it is
  ///   empty on a terminal and isn't meant to be.
  package static func read(for item: String, mayAsk: Bool) throws(KeychainError) -> Secret {
    if !StandardStreams.isTerminal(0) {
      let secret = try StandardStreams.readAll(0, limit: ItemBounds.secret + 1, what: "the secret")
      if secret.isEmpty {
        throw .failure(
          "no secret was given on standard input",
          hint: "pipe it in, or run this on a terminal; an empty line is an empty secret", status: .usage)
      }
      return secret.withoutLastLineFeed()
    }
    if !mayAsk {
      throw .failure(
        "nobody may be asked for the secret", hint: "give it on standard input", status: .usage)
    }
    return try readTwice(try terminal(), "Secret for \(item): ")
  }

  /// Reads a secret typed or pasted on the terminal, whatever standard input is.
  ///
  /// - Throws: ``KeychainError`` if there is no terminal, or nothing is typed.
  package static func ask(_ prompt: String) throws(KeychainError) -> Secret {
    try line(try terminal(), prompt)
  }

  private static func terminal() throws(KeychainError) -> Terminal {
    guard let terminal = Terminal() else {
      throw .failure(
        "there is no terminal to ask for the secret", hint: "give it on standard input", status: .usage)
    }
    return terminal
  }

  /// Reads a passphrase from a descriptor that the caller has opened, without a final line feed.
  ///
  /// - Throws: as ``secret(from:limit:what:)`` does.
  package static func passphrase(from descriptor: Int32) throws(KeychainError) -> Secret {
    try secret(from: descriptor, limit: PassphraseSources.longest, what: "passphrase")
  }

  /// Reads a secret from a descriptor that the caller has opened, without a final line feed. If that is a terminal, it is
  /// asked for there.
  ///
  /// If the caller forgot to open it, its number may belong to a file of this program, such as the vault. Those are
  /// closed on exec; an inherited descriptor never is.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes.
  ///   - what: its name in messages.
  /// - Throws: ``KeychainError`` if the caller hasn't opened it, there is more, reading fails, or nothing is typed.
  package static func secret(from descriptor: Int32, limit: Int, what: String) throws(KeychainError) -> Secret
  {
    let flags = fcntl(descriptor, F_GETFD)
    if flags < 0 || flags & FD_CLOEXEC != 0 {
      throw .failure(
        "descriptor \(descriptor), which is to give the \(what), is not open",
        hint: "redirect a file to it: \(descriptor)< FILE", status: .usage)
    }
    if StandardStreams.isTerminal(descriptor), let terminal = Terminal() {
      return try line(terminal, "\(what.prefix(1).uppercased())\(what.dropFirst()): ")
    }
    return try StandardStreams.readAll(
      descriptor, limit: limit, what: "the \(what) from descriptor \(descriptor)"
    )
    .withoutLastLineFeed()
  }

  private static func readTwice(_ terminal: borrowing Terminal, _ prompt: String) throws(KeychainError)
    -> Secret
  {
    for _ in 0..<PassphraseSources.tries {
      let first = try line(terminal, prompt)
      let second = try line(terminal, PassphraseQuestion.onceMore)
      if first.isEqual(to: second) {
        if first.isEmpty, !terminal.confirms("The secret is empty. Store it all the same?") {
          throw .failure("nothing was stored", status: .nothingMatched)
        }
        if first.hasSpaceAround { terminal.show("It begins or ends with white space, which is kept.\n") }
        return first
      }
      terminal.show("The two differ.\n")
    }
    throw .failure("no match after three tries", status: .usage)
  }

  private static func line(_ terminal: borrowing Terminal, _ prompt: String) throws(KeychainError) -> Secret {
    switch terminal.askForSecret("\(prompt)") {
    case .line(let line): return line
    case .ended: throw .failure("nothing was typed", status: .usage)
    case .unusable: throw .failure("the terminal's echo can't be switched off", status: .usage)
    case .tooLong:
      throw .failure(
        "a terminal takes \(Terminal.longestLine) bytes at most", hint: "give it on standard input",
        status: .usage)
    }
  }
}

extension Secret {
  /// Whether it begins or ends with a space or a tab, as what is pasted often does.
  fileprivate var hasSpaceAround: Bool {
    withUnsafeBytes { bytes in
      guard let first = bytes.first, let last = bytes.last else { return false }
      let spaces: [UInt8] = [0x20, 0x09]
      return spaces.contains(first) || spaces.contains(last)
    }
  }
}
