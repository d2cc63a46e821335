import EncryptedFile
import Keychain
import KeychainChoice
import Processes
import SecretService
import SecretServiceProvider
package import Terminals
package import ToolCommands

/// What `llavero serve` does in the companion: the Secret Service, served from the encrypted file.
package enum ServeProgram {
  /// Serves until a signal, the end of the bus or another program ends that.
  ///
  /// - Returns: why there is no service: no bus, or another program has its name. `nil` if it was ended.
  package static func serve(_ options: ServeOptions) -> Failure? {
    do throws(Failure) {
      try run(options)
      return nil
    } catch {
      return error
    }
  }

  /// Who provides the Secret Service now; `nil` if nobody does, or there is no bus.
  package static func owner() -> (isOurs: Bool, program: String?)? {
    guard let address = try? BusAddress.find(), let owner = try? NameOwner.find(address) else { return nil }
    return (owner.isOurs, owner.program)
  }

  /// Makes the session bus read anew what it starts for which name; a bus that isn't there needs nothing.
  package static func rereadActivation() {
    if let address = try? BusAddress.find() { NameOwner.rereadActivation(address) }
  }

  private static func run(_ options: ServeOptions) throws(Failure) {
    let location = try explaining(VaultLocation())
    let choice = try explaining(choice: KeychainChoice.made(named: options.selection.name, at: location))
    switch choice?.kind {
    case .file?, nil: break
    case .secretService?:
      throw Failure(
        "the Secret Service can't be served from the Secret Service itself",
        hint: "\(command: "llavero", "serve", "--keychain", "file") serves the encrypted file", status: .usage
      )
    case .forwarded?:
      throw Failure("a keychain of another machine can't be served yet", status: .usage)
    }
    let asks = options.selection.mayAskPerson
    var watching = servingSelection
    watching.renewsUnlock = false
    watching.changesNothing = true
    watching.mayRunPrograms = false
    let watchman = try watching.encryptedFile(at: location)
    let address = try explaining(BusAddress.find())
    if choice == nil {
      // From now on programs keep their secrets in it, so people's commands are to use it, too.
      try explaining(RememberedKeychain.write(.file, vault: nil, in: location.stateFolder))
    }
    let unlock = ["/proc/self/exe", "unlock", "--keychain", "file"]
    let settings = ProviderSettings(
      busAddress: address.text, replaces: options.replaces,
      open: { () throws(KeychainError) in try opened(at: location) },
      lockState: { lockState(of: watchman) },
      lock: {
        switch try? watchman.lock() {
        case .locked?: true
        default: false
        }
      },
      unlockProgram: asks ? unlock : nil,
      unlockWithPassphraseProgram: unlock + ["--passphrase-fd", "0"], idle: options.idle,
      explain: { Failure($0).message }, say: { StandardStreams.say("\($0)") })
    let status: Int32
    do throws(BusFailure) {
      status = try Provider.serve(settings)
    } catch {
      throw Failure("there is no message bus to serve the keychain on", status: .keychain)
    }
    if status != 0, owner()?.isOurs ?? false {
      throw Failure("llavero provides the Secret Service already", status: .keychain)
    }
    if status != 0 {
      throw Failure(
        "another program provides the Secret Service already",
        hint: "\(command: "llavero", "serve", "--replace") takes its place, if it allows that",
        status: .keychain)
    }
  }

  /// How this process uses the file: it must never wait for a person. A program of its own asks.
  private static var servingSelection: KeychainSelection {
    var selection = KeychainSelection(name: KeychainKind.file.rawValue, mayPrompt: false)
    selection.isForTool = true
    selection.readsSecrets = true
    return selection
  }

  private static func opened(at location: VaultLocation) throws(KeychainError) -> any KeychainStore {
    do throws(Failure) {
      return try servingSelection.encryptedFile(at: location)
    } catch {
      throw error.cause ?? .unavailable(reason: error.message)
    }
  }

  private static func lockState(of keychain: EncryptedFileKeychain) -> ProviderSettings.LockState {
    do throws(KeychainError) {
      return try keychain.isLocked() ? .locked : .unlocked
    } catch {
      return .unusable(error)
    }
  }
}
