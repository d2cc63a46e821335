import ArgumentParser
import Bytes
import Forwarding
import Keychain
import PrivateFiles
import ToolCommands

struct ForwardLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the requests of hosts, and their outcomes",
    discussion: """
      A line for each request: the time, the host, the tool as it called itself, the wish, and the outcome. A program's \
      same request has one line within five seconds if the outcome is the same. It has no secrets. At least the \
      newest 8 MiB are kept.

        llavero forward log --follow
        llavero forward log --json | jq 'select(.outcome == "refused")'
      """)

  @Flag(help: "Keep printing new lines")
  var follow = false

  @OptionGroup var dates: DateOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let places = try ForwardingPlaces.here()
    let log = LineLog.ofRequests(in: places.stateFolder)
    let width = TerminalStyle().width
    try log.show(goesOn: follow, isJSON: output.json) {
      LoggedRequest.Line.text(of: $0, inUTC: dates.utc, wrappedTo: width)
    }
  }
}

extension LoggedRequest.Line {
  /// A line of the log for people; `nil` if it is invalid.
  ///
  /// - Parameter width: the number of the terminal's columns; `nil` leaves all on a line.
  static func text(
    of line: UnsafeRawBufferPointer, inUTC: Bool, wrappedTo width: Int?
  ) -> TextForTerminal? {
    guard let request = try? LoggedRequest.Line(parsing: line), let date = request.date else { return nil }
    let hosts = request.hosts.map { "\($0)" }.joined(separator: " -> ")
    let place = request.place.map { " \($0)" } ?? ""
    let whose = request.account.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
    let why = request.fault.flatMap { $0 == request.outcome ? nil : ", \($0)" } ?? ""
    let row = [
      dateText(date, seconds: true, inUTC: inUTC), hosts.isEmpty ? "nobody verified" : hosts,
      "\(request.tool) \(request.action)\(place)\(whose): \(request.outcome)\(why)",
    ]
    return columns([row], wrappedTo: width)
  }
}
