import EncryptedFile
package import Keychain
import KeychainChoice
import PrivateFiles
import SecretService
package import ToolCommands

/// The companion's part of `llavero serve`: the Secret Service, served from another keychain.
package enum ServeProgram {
  /// Serves until a signal, the end of the bus or another program ends that.
  ///
  /// - Returns: why there is no service: no bus, or another program has its name. `nil` if it was ended.
  package static func serve(_ options: ServeOptions) -> KeychainError? {
    do throws(KeychainError) {
      try run(options)
      return nil
    } catch {
      return error
    }
  }

  private static func settings(
    _ options: ServeOptions, _ choice: KeychainChoice?, at location: VaultLocation, on bus: String
  ) throws(KeychainError) -> ProviderSettings {
    if choice?.kind.isOfOtherMachine == true { return try ServedForwarded.settings(options, on: bus) }
    if choice?.kind.needsCompanion == true {
      throw .failure(
        "the Secret Service can't be served from the Secret Service itself",
        hint: "\(command: "llavero", "serve", "--keychain", "file") serves the encrypted file", status: .usage
      )
    }
    // Another keychain of the list has to be named: otherwise programs that keep secrets would share them, or put them
    // where nobody looks for the service's items.
    if let choice, choice.isNamed, !choice.keychain.isBuiltIn {
      throw .failure(
        "the keychain \(choice.name) can't be served as the Secret Service: programs' secrets stay in a keychain of "
          + "this user alone",
        hint: "\(command: "llavero", "serve", "--keychain", "file") serves the encrypted file",
        status: .usage)
    }
    return try ServedFile.settings(options, at: location, isChosen: choice != nil, on: bus)
  }

  private static func run(_ options: ServeOptions) throws(KeychainError) {
    let location = try VaultLocation()
    let choice = try KeychainChoice.made(named: options.selection.name, at: location)
    let bus = try BusAddress.find().text
    var settings = try settings(options, choice, at: location, on: bus)
    if options.logs {
      let log = LineLog.ofService(in: location.stateFolder)
      settings.log = log.append
    }
    if options.asks {
      let programs = try RememberedPrograms(say: { StandardStreams.say("\($0)") })
      settings.asking = ProgramAsking(
        askingProgram: options.selection.mayAskPerson ? ("/proc/self/exe", ProgramAsker.name) : nil,
        remembered: programs.all, remember: programs.add)
    }
    let status: Int32
    do throws(BusFailure) {
      status = try Provider.serve(settings)
    } catch {
      throw .failure("there is no message bus to serve the keychain on", status: .keychain)
    }
    if status == 0 { return }
    let owner = owner()
    if let owner, owner.isOurs {
      throw .failure("llavero provides the Secret Service already", status: .keychain)
    }
    let program = owner?.program ?? "another program"
    if options.replaces {
      throw .failure(
        "\(program) provides the Secret Service, and doesn't let llavero take its place",
        hint: "llavero-serve(1) says how to end it", status: .keychain)
    }
    throw .failure(
      "\(program) provides the Secret Service already",
      hint: "\(command: "llavero", "serve", "--replace") takes its place, if it allows that",
      status: .keychain)
  }
}
