import ArgumentParser
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// `llavero get`
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print a secret",
    discussion: """
      The answer is the one that git would get: for the account, if you name one, from the item with the longest \
      matching path, or else from the item that was changed last.

        llavero get https://github.com
        llavero get https://github.com --account alice --json --secret
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "With --json, print the secret too")
  var secret = false

  func validate() throws {
    if secret, !output.json {
      throw ValidationError("--secret goes with --json; without both the secret is all.")
    }
  }

  func run() throws {
    let query = try place.query()
    let keychain = try keychain.open().keychain
    let found = try explaining(keychain.answer(to: query, where: { _, _ in true }))
    guard let answer = found else { throw try whyNot(query, keychain) }
    if output.json {
      try StandardStreams.write(
        secret ? ItemOutput.json(answer.item, answer.credential) : ItemOutput.json(answer.item))
    } else {
      var text = answer.credential.secret.copy()
      text.append("\n")
      try StandardStreams.write(text)
    }
  }

  private func whyNot(_ query: ItemQuery, _ keychain: any KeychainStore) throws(Failure) -> Failure {
    guard let item = try explaining({ () throws(KeychainError) in try keychain.find(query).first }) else {
      return try place.nothingMatches()
    }
    return Failure(
      "what the keychain has for \(item.name) has expired", hint: "log in again, or run 'llavero update'",
      status: .nothingMatched)
  }
}
