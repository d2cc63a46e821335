import ArgumentParser
import Bytes
import Keychain
import KeychainChoice
import ToolCommands

struct ServeCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Be the Secret Service, for programs that keep secrets there",
    discussion: """
      Programs that use libsecret, such as gh, browsers, editors and Python's keyring, keep their secrets in the \
      encrypted file then, beside git's. It is for machines without a desktop's keyring: servers, containers, plain \
      window managers. The bus starts it when a program needs it, after:

        llavero setup secret-service

      You can also start it by hand. It serves until it is ended, and needs a session bus:

        dbus-run-session -- sh -c 'llavero serve & exec sh'

      On a host that you log in to, it can serve the keychain of the machine that you come from, as far as that \
      allows; see 'man llavero-serve':

        llavero serve --keychain forwarded

      If the file has a passphrase, a program that needs a secret makes 'llavero unlock' ask you, by pinentry or \
      askpass, or you type 'llavero unlock' in a terminal. 'llavero lock' locks it for all of them.
      """,
    subcommands: [ServeLogCommand.self])

  @Flag(help: "Take the place of another program that provides the Secret Service, if that allows it")
  var replace = false

  @Option("Lock the file after this time without a call", value: "time")
  var idle: String?

  @Flag(help: "Log what programs do; see 'llavero serve log'")
  var log = false

  @Flag(help: "Ask about each program that wants an item which it hasn't stored; with --no-prompt, refuse it")
  var ask = false

  @OptionGroup var keychain: KeychainOptions

  func companionNeed() -> CompanionNeed { .required }

  func run() throws(KeychainError) {
    let seconds = try idle.map { (text) throws(KeychainError) in try DurationText.seconds(text, of: "--idle")
    }
    let options = ServeOptions(keychain.selection, replaces: replace, idle: seconds, logs: log, asks: ask)
    guard let service = Program.secretService else {
      throw .unavailable(reason: "this program has no Secret Service")
    }
    if let failure = service.serve(options) { throw failure }
  }
}
