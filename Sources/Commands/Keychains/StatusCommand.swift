import ArgumentParser
import Keychain
import ToolCommands

struct StatusCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the keychain in use, its place and protection",
    discussion: """
      Also what expires within two weeks, which tools log in from here, and which files still have passwords in plain \
      text. 'llavero doctor' looks closer.
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  /// The companion knows the bus, and the service's callers.
  func companionNeed() -> CompanionNeed { BusActivation.mayHaveBus ? .wanted : .none }

  func run() throws(KeychainError) {
    var selection = keychain.selection
    selection.mayAsk = false
    selection.renewsUnlock = false
    selection.mayRunPrograms = false
    let status = try KeychainStatus(of: try selection.choose().open())
    let surroundings = (try? SetupPlace()).map(Surroundings.init)
    try output.write(status.report(surroundings), or: status.text(surroundings))
  }
}
