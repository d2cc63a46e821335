import ArgumentParser
import Bytes
import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice
import PrivateFiles
import Terminals
import ToolCommands

struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Unlock the keychain for a while",
    discussion: """
      An encrypted file with a passphrase stays unlocked for 15 minutes after its last use, and for at most 8 hours, \
      for all your programs. An agent keeps the key. Any command that asks for the passphrase on a terminal unlocks the \
      file too.

        llavero unlock
        llavero unlock --for 1h --idle 5m
        llavero unlock --again
        llavero unlock --passphrase-fd 3 3< passphrase-file

      For the Secret Service, the desktop's own prompt asks for the collection's password. If there can be no prompt, \
      as over ssh, this terminal asks and gives the password to gnome-keyring; other services have no way to take it. \
      With --terminal no prompt is shown first: on a desktop that you are not sitting at, it would wait for you.

        llavero unlock --terminal
      """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Lock the encrypted file after this time in any case (default: 8h)", valueName: "time")
  )
  var total: String?

  @Option(help: ArgumentHelp("Lock it after this time without use (default: 15m)", valueName: "time"))
  var idle: String?

  @Flag(help: "Ask for the passphrase also if the encrypted file is unlocked, and begin these times anew")
  var again = false

  @Flag(help: "Ask on this terminal, without the desktop's prompt")
  var terminal = false

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    var selection = keychain.selection
    if let total { selection.unlockTotal = try DurationText.seconds(total, of: "--for") }
    if let idle { selection.unlockIdle = try DurationText.seconds(idle, of: "--idle") }
    let open = try selection.choose().open()
    switch open.store {
    case .file(let file): try unlock(file)
    case .secretService(let service): try unlock(service)
    case .forwarded: throw Self.isElsewhere
    case .remote: throw Self.isOnServer
    }
  }

  static let isElsewhere = KeychainError(
    "the keychain is on another machine, which forwards it to this one",
    hint: "lock and unlock it there; it asks there by itself, too", status: .usage)

  static let isOnServer = KeychainError(
    "the keychain is on a server, and has no passphrase",
    hint: "the server's login is in your own keychain, which you can lock", status: .usage)

  private func unlock(_ file: EncryptedFileKeychain) throws(KeychainError) {
    if VaultLocation.environmentVariable("LLAVERO_UNLOCK_CACHE") == "none" {
      throw .failure(
        "nothing may keep the keychain unlocked, because LLAVERO_UNLOCK_CACHE is none", status: .usage)
    }
    // A duration or passphrase has to take effect, even if the keychain is already unlocked.
    let anew = again || total != nil || idle != nil || keychain.passphraseFd != nil
    let outcome: EncryptedFileKeychain.Unlocked
    do throws(KeychainError) {
      outcome = try file.unlock(anew: anew)
    } catch {
      guard case .locked = error, (try? file.isLocked()) == false else { throw error }
      let why =
        again
        ? "nobody can be asked for the passphrase"
        : "changing the time takes the passphrase, and nobody can be asked for it"
      throw .failure(
        "\(why); the keychain is unlocked as before",
        hint: "give it on a terminal, or with --passphrase-fd", status: .keychain)
    }
    switch outcome {
    case .noVault: StandardStreams.say("there is nothing to unlock, because there is no keychain yet")
    case .notNeeded:
      StandardStreams.say(
        "there is nothing to unlock: the key of the keychain is \(file.location.identityFile)")
    case .already(let state): StandardStreams.say("already \(state.text)")
    case .kept(let state): StandardStreams.say("\(state.text)")
    }
  }

  private func unlock(_ service: any DesktopKeychain) throws(KeychainError) {
    if total != nil || idle != nil {
      throw .failure(
        "how long a collection of the Secret Service stays unlocked is up to the desktop", status: .usage)
    }
    let source = keychain.selection.passphraseSource(prompt: "Password of the keyring: ")
    do throws(KeychainError) {
      try service.unlock(isKnown: terminal || keychain.passphraseFd != nil, passphrase: source)
    } catch .collectionLocked(let name) where !keychain.noPrompt {
      throw .failure(
        "the collection '\(name)' is still locked: its service showed no prompt, or it was dismissed",
        hint:
          "on a terminal gnome-keyring takes the password from here; others have to be unlocked on the desktop",
        status: .keychain)
    } catch .wrongPassphrase(let name) {
      throw .failure("that password does not unlock the collection '\(name)'", status: .keychain)
    }
  }
}

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock the keychain",
    discussion: """
      From then on an encrypted file with a passphrase asks for it again. A file whose key is in another file can't be \
      locked. For the Secret Service, this locks the collection.
      """)

  @Flag(help: "Lock every encrypted file of yours that is unlocked, too")
  var all = false

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let selection = keychain.selection
    let folders = all ? try selection.lockAllFiles() : []
    // Permissions of other machines for a session end with it, even if the keychain has no key to forget.
    let forwarding = try ForwardingAgentControl(try ForwardingPlaces.here())
    _ = try forwarding.map { (forwarding) throws(KeychainError) in try forwarding.ask(.lock) }
    let open = try selection.choose().open()
    switch open.store {
    case .file(let file): if !all { try lock(file) }
    case .secretService(let service): try service.lock()
    case .forwarded: throw UnlockCommand.isElsewhere
    case .remote: throw UnlockCommand.isOnServer
    }
    if let failure = KeychainError(keptByAgentsIn: folders) { throw failure }
  }

  private func lock(_ file: EncryptedFileKeychain) throws(KeychainError) {
    switch try file.lock() {
    case .noVault: StandardStreams.say("there is nothing to lock, because there is no keychain yet")
    case .notPossible:
      if FileStatus.isThere(file.location.identityFile) {
        throw .failure(
          "the keychain can't be locked: its key is \(file.location.identityFile)",
          hint: "a keychain with a passphrase can be; see 'llavero help protection'", status: .keychain)
      }
      throw .failure(
        "the keychain can't be locked: a key on this machine opens it without asking anybody",
        hint: "see which one with \(commandOf: ["llavero", "slot", "list"] + keychain.words)",
        status: .keychain)
    case .locked: break
    case .kept(let folders): if let failure = KeychainError(keptByAgentsIn: folders) { throw failure }
    }
  }
}

extension UnlockState {
  var text: String {
    "unlocked by the agent for \(DurationText.text(idle)), \(DurationText.text(total)) at most"
  }
}
