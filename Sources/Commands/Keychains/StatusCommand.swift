import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

struct StatusCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the keychain in use, its place and protection",
    discussion: """
      Also what expires within two weeks, which tools log in from here, and which files still have passwords in plain \
      text. 'llavero doctor' looks closer. --short prints one line, for a shell's prompt; nobody is asked, and nothing \
      is unlocked for it.
      """)

  @Flag(help: "Print only the keychain's name and its state")
  var short = false

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  /// The companion knows the bus, and the service's callers.
  func companionNeed() -> CompanionNeed { BusActivation.mayHaveBus ? .wanted : .none }

  func validate() throws {
    if short, output.json { throw ValidationError("Either --short or --json.") }
  }

  func run() throws(KeychainError) {
    var selection = keychain.selection
    selection.mayAsk = false
    selection.renewsUnlock = false
    selection.mayRunPrograms = false
    let open = try selection.chooseOrExec().open()
    if short {
      let row = KeychainRow(open.choice.keychain, isHome: true, selection)
      if let problem = row.problem { throw problem }
      return try StandardStreams.write("\(row.keychain.name): \(row.state)\n")
    }
    let status = try KeychainStatus(of: open)
    let surroundings = (try? SetupPlace()).map(Surroundings.init)
    try output.write(status.report(surroundings), or: status.text(surroundings))
  }
}
