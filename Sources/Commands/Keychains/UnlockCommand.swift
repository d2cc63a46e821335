import ArgumentParser
import Bytes
import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Unlock the keychain for a while",
    discussion: """
      An encrypted file with a passphrase stays unlocked for 15 minutes after its last use, and for at most 8 hours, \
      for all your programs. An agent keeps the key. Any command that asks for the passphrase on a terminal unlocks the \
      file too, and so does one that gets it from LLAVERO_PASSPHRASE_COMMAND or a systemd credential. With \
      LLAVERO_UNLOCK_CACHE=none, nothing does.

        llavero unlock
        llavero unlock --for 8h --idle 8h
        llavero unlock --again
        llavero unlock --passphrase-fd 3 3< passphrase-file

      For the Secret Service, the desktop's own prompt asks for the collection's password. If there can be no prompt, \
      as over ssh, this terminal asks and gives the password to gnome-keyring; other services have no way to take it. \
      With --terminal no prompt is shown first: on a desktop that you are not sitting at, it would wait for you.

        llavero unlock --terminal
      """)

  @Option(
    "Lock the encrypted file after this time in any case (default: 8h)", value: "time",
    name: .customLong("for"))
  var total: String?

  @Option("Lock it after this time without use (default: 15m)", value: "time")
  var idle: String?

  @Flag(help: "Ask for the passphrase also if the encrypted file is unlocked, and begin these times anew")
  var again = false

  @Flag(help: "Ask on this terminal, without the desktop's prompt")
  var terminal = false

  @OptionGroup var saying: SayingOptions
  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    var selection = keychain.selection
    if let total { selection.unlockTotal = try DurationText.seconds(total, of: "--for") }
    if let idle { selection.unlockIdle = try DurationText.seconds(idle, of: "--idle") }
    let open = try selection.chooseOrExec().open()
    try open.choice.kind.managed.unlock(open, as: self)
  }
}

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock the keychain",
    discussion: """
      From then on an encrypted file with a passphrase asks for it again. A file whose key is in another file can't be \
      locked: the command says so, and the status is 0. A program of 'llavero slot add command' goes on opening it. For the \
      Secret Service, this locks the collection, for all programs.
      """)

  @Flag(help: "Lock every encrypted file of yours that is unlocked, too")
  var all = false

  @OptionGroup var saying: SayingOptions
  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let selection = keychain.selection
    let folders = all ? try selection.lockAllFiles() : []
    // Permissions of other machines for a session end with it, even if the keychain has no key to forget.
    let forwarding = try ForwardingAgentControl(try ForwardingPlaces.here())
    _ = try forwarding.map { (forwarding) throws(KeychainError) in try forwarding.ask(.lock) }
    let open = try selection.chooseOrExec().open()
    let sentence = try open.choice.kind.managed.lock(open, as: self)
    if let failure = KeychainError(keptByAgentsIn: folders) { throw failure }
    if let sentence { saying.say(sentence) }
  }
}
