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
      A line for each request: the time, the host, the tool as it called itself, the wish, and the outcome. It has no \
      secrets. At least the newest 8 MiB are kept.

        llavero forward log --follow
        llavero forward log --json | jq 'select(.outcome == "refused")'
      """)

  @Flag(help: "Keep printing new lines")
  var follow = false

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let places = try ForwardingPlaces.here()
    let log = LineLog.ofRequests(in: places.stateFolder)
    try log.show(goesOn: follow, isJSON: output.json, LoggedRequest.text(of:))
  }
}

extension LoggedRequest {
  /// A line of the log for people; `nil` if it is invalid.
  fileprivate static func text(of line: UnsafeRawBufferPointer) -> TextForTerminal? {
    guard let fields = try? JSONFields(line), let date = try? fields.value("date")?.timestamp(),
      let tool = try? fields.bytes("tool"), let action = try? fields.bytes("action"),
      let outcome = try? fields.bytes("outcome"),
      let hosts = try? fields.strings("hosts")
    else { return nil }
    let who = hosts.isEmpty ? "nobody verified" : hosts.map { "\($0)" }.joined(separator: " -> ")
    let where_ = (try? fields.text("place")).map { " \($0)" } ?? ""
    let whose = (try? fields.text("account")).map { $0.isEmpty ? "" : " (\($0))" } ?? ""
    let why = (try? fields.text("fault")).map { ", \($0)" } ?? ""
    return "\(dateText(date, seconds: true))  \(who)  \(tool) \(action)\(where_)\(whose): \(outcome)\(why)\n"
  }
}
