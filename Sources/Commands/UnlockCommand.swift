import ArgumentParser
import Keychain

/// `llavero unlock`
struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Unlock the Secret Service's collection",
    discussion: """
      The desktop's own prompt asks for the password. Where it can show none, as over ssh, the password is asked \
      for on this terminal and given to gnome-keyring; other services have no way for that. With --terminal there \
      is no prompt before: the one on a desktop that you are not sitting at would wait for you.

        llavero unlock
        llavero unlock --terminal
        llavero unlock --passphrase-fd 3 3< password-file
      """)

  @Flag(help: "Ask on this terminal, not by the desktop's prompt")
  var terminal = false

  @OptionGroup var keychain: KeychainOptions

  func run() throws {
    let open = try keychain.open()
    guard case .secretService(let service) = open.store else {
      throw Failure(
        "the keychain in use is the encrypted file, which nothing keeps unlocked",
        hint: "see 'llavero status'",
        status: .usage)
    }
    let source = keychain.selection.passphraseSource(prompt: "Password of the keyring: ")
    do throws(KeychainError) {
      try service.unlock(isKnown: terminal || keychain.passphraseFd != nil, passphrase: source)
    } catch .collectionLocked(let name) where !keychain.noPrompt {
      throw Failure(
        "the collection '\(name)' is still locked, for its service showed no prompt, or it was dismissed",
        hint:
          "on a terminal gnome-keyring takes the password from here; others have to be unlocked on the desktop",
        status: .keychain)
    } catch .wrongPassphrase(let name) {
      throw Failure("that password does not unlock the collection '\(name)'", status: .keychain)
    } catch {
      throw Failure(error)
    }
  }
}

/// `llavero lock`
struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock the Secret Service's collection")

  @OptionGroup var keychain: KeychainOptions

  func run() throws {
    let open = try keychain.open()
    guard case .secretService(let service) = open.store else {
      throw Failure(
        "the keychain in use is the encrypted file, which nothing keeps unlocked",
        hint: "see 'llavero status'",
        status: .usage)
    }
    try explaining { () throws(KeychainError) in try service.lock() }
  }
}
