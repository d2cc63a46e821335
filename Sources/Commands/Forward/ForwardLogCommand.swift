import ArgumentParser
import Bytes
import Forwarding
import Keychain
import PrivateFiles
import Terminals

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
    var (date, tool, action): (Timestamp?, ByteString?, ByteString?)
    var (place, account, outcome, fault): (ByteString?, ByteString?, ByteString?, ByteString?)
    var hosts: [ByteString] = []
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
        if name == "date" {
          date = try value.timestamp()
        } else if name == "tool" {
          tool = try value.string()
        } else if name == "action" {
          action = try value.string()
        } else if name == "place" {
          place = try value.string()
        } else if name == "account" {
          account = try value.string()
        } else if name == "outcome" {
          outcome = try value.string()
        } else if name == "fault" {
          fault = try value.string()
        } else if name == "hosts" {
          try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
            hosts.append(try element.string())
          }
        }
      }
    } catch {
      return nil
    }
    guard let date, let tool, let action, let outcome else { return nil }
    let who = hosts.isEmpty ? "nobody verified" : hosts.map { "\($0)" }.joined(separator: " -> ")
    let where_ = place.map { " \($0)" } ?? ""
    let whose = account.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
    let why = fault.map { ", \($0)" } ?? ""
    return "\(dateText(date, seconds: true))  \(who)  \(tool) \(action)\(where_)\(whose): \(outcome)\(why)\n"
  }
}
