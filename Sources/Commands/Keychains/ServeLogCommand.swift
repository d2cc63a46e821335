import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import PrivateFiles
import ToolCommands

struct ServeLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show how programs have used the service",
    discussion: """
      A line for each search, read and change: the time, the program's file, the items, and the outcome. It has no \
      secrets. The service logs only if you have started it, or set it up, with --log:

        llavero setup secret-service --log
        llavero serve log --follow
        llavero serve log --json | jq 'select(.action == "read")'
      """)

  @Flag(help: "Keep printing new lines")
  var follow = false

  @OptionGroup var dates: DateOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let log = LineLog.ofService(in: try VaultLocation().stateFolder)
    try log.show(goesOn: follow, isJSON: output.json) { ServedAccess.text(of: $0, inUTC: dates.utc) }
  }
}

extension ServedAccess {
  /// A line of the log for people; `nil` if it is invalid.
  fileprivate static func text(of line: UnsafeRawBufferPointer, inUTC: Bool) -> TextForTerminal? {
    guard let access = try? ServedAccess(parsing: line), let date = access.date else { return nil }
    let process = access.process.map { " (\($0))" } ?? ""
    let named = access.items.prefix(3).map { "\($0.text)" }.joined(separator: ", ")
    let more = access.count > 3 ? " and \(access.count - 3) more" : ""
    let what = named.isEmpty ? "" : " \(named)\(more)"
    return
      "\(dateText(date, seconds: true, inUTC: inUTC))  \(access.program ?? "unknown program")\(process)  \(access.action)\(what): \(access.outcome)\n"
  }
}

extension ServedAccess.Named {
  fileprivate var text: ByteString {
    // The name of an item that is no login means nothing to people.
    if let label, !label.isEmpty, account == nil { return label }
    let whose = account.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
    return ByteString("\(place)\(whose)")
  }
}
