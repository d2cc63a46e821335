import EncryptedFile
import Keychain
import KeychainChoice
import PrivateFiles
import SecretService
import SecretServiceProvider
package import Terminals
package import ToolCommands
import UnlockCache

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

  /// The programs that call llavero's service; `nil` if it doesn't run.
  package static func callers() -> ServedPrograms? {
    guard let address = try? BusAddress.find(), let found = try? NameOwner.callers(address) else {
      return nil
    }
    return ServedPrograms(
      process: found.process.map { Int($0) },
      callers: found.rows.map { row in
        ServedPrograms.Caller(
          program: row.program.isEmpty ? nil : row.program,
          process: row.process == 0 ? nil : Int(row.process),
          isConnected: row.isConnected, since: Timestamp(milliseconds: Int64(clamping: row.since) * 1000),
          calls: Int(row.calls))
      })
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
    let watchman = try explaining(choice: keychain(at: location, renewing: false))
    let address = try explaining(BusAddress.find())
    let unlock = ["/proc/self/exe", "unlock", "--keychain", "file"]
    var settings = ProviderSettings(
      busAddress: address.text, replaces: options.replaces,
      open: { () throws(KeychainError) in try opened(at: location) },
      readAll: { (keychain) throws(KeychainError) in
        if let file = keychain as? EncryptedFileKeychain { return try file.allItems() }
        return try keychain.items(matching: .all)
      }, isAsSeen: { ($0 as? EncryptedFileKeychain)?.isAsSeen ?? false },
      lockState: { lockState(of: watchman) },
      lock: {
        switch try? watchman.lock() {
        case .locked?: true
        default: false
        }
      },
      unlockProgram: options.selection.mayAskPerson ? unlock : nil,
      unlockWithPassphraseProgram: unlock + ["--passphrase-fd", "0"], idle: options.idle,
      onServing: {
        // From now on programs keep their secrets in it, so people's commands are to use it, too.
        if choice == nil { try? RememberedKeychain.write(.file, vault: nil, in: location.stateFolder) }
      }, explain: { Failure($0).message }, say: { StandardStreams.say("\($0)") })
    if options.logs {
      let log = LineLog.ofService(in: location.stateFolder)
      settings.log = { log.append(ServedAccess($0)) }
    }
    if options.asks {
      let programs = try explaining(RememberedPrograms(say: { StandardStreams.say("\($0)") }))
      settings.asking = ProgramAsking(
        askingProgram: ("/proc/self/exe", ProgramAsker.name), remembered: programs.all,
        remember: programs.add)
    }
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

  /// The file as this process uses it. It must never wait for a person, or for a program that knows the passphrase: a
  /// program of its own asks.
  ///
  /// - Parameter isUse: whether a look at it extends the time for which it stays unlocked.
  private static func keychain(
    at location: VaultLocation, renewing isUse: Bool
  ) throws(KeychainChoiceError) -> EncryptedFileKeychain {
    let environment = KeychainEnvironment()
    var cache = try environment.unlockCache(at: location, program: nil)
    cache.renews = isUse
    var openers = environment.openers
    openers.mayRunPrograms = false
    let keychain = try environment.encryptedFile(
      at: location, passphrase: { _ in nil }, respondent: { .nobody }, cache: cache, openers: openers,
      onNotice: { _ in })
    keychain.onlyReads = !isUse
    return keychain
  }

  private static func opened(at location: VaultLocation) throws(KeychainError) -> any KeychainStore {
    do throws(KeychainChoiceError) {
      return try keychain(at: location, renewing: true)
    } catch {
      switch error {
      case .keychain(let error): throw error
      default: throw .unavailable(reason: Failure(error).message)
      }
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

extension ServedAccess {
  fileprivate init(_ access: Access) {
    self.init(
      date: access.date, program: access.caller?.program, process: access.caller?.process,
      action: access.action, items: access.items, count: access.count, outcome: access.outcome.rawValue)
  }
}
