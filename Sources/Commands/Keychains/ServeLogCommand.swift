import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import PrivateFiles
import Terminals
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

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let log = LineLog.ofService(in: try VaultLocation().stateFolder)
    try log.show(goesOn: follow, isJSON: output.json, ServedAccess.text(of:))
  }
}

extension ServedAccess {
  /// A line of the log for people; `nil` if it is invalid.
  fileprivate static func text(of line: UnsafeRawBufferPointer) -> TextForTerminal? {
    var (date, program, action, outcome): (Timestamp?, ByteString?, ByteString?, ByteString?)
    var (process, count): (Int64?, Int64?)
    var items: [ByteString] = []
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
        if name == "date" {
          date = try value.timestamp()
        } else if name == "program" {
          program = try value.string()
        } else if name == "process" {
          process = try value.integer()
        } else if name == "action" {
          action = try value.string()
        } else if name == "outcome" {
          outcome = try value.string()
        } else if name == "count" {
          count = try value.integer()
        } else if name == "items" {
          try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
            items.append(try Self.item(element.raw))
          }
        }
      }
    } catch {
      return nil
    }
    guard let date, let action, let outcome else { return nil }
    let who: TextForTerminal = "\(program ?? "unknown program")\(process.map { " (\($0))" } ?? "")"
    let named = items.prefix(3).map { "\($0)" }.joined(separator: ", ")
    let more = (count ?? 0) > 3 ? " and \((count ?? 0) - 3) more" : ""
    let what = named.isEmpty ? "" : " \(named)\(more)"
    return "\(dateText(date, seconds: true))  \(who)  \(action)\(what): \(outcome)\n"
  }

  private static func item(_ json: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> ByteString {
    var (place, account, label): (ByteString?, ByteString?, ByteString?)
    try JSONReader.members(of: json) { (name, value) throws(JSONReader.Malformed) in
      if name == "place" {
        place = try value.string()
      } else if name == "account" {
        account = try value.string()
      } else if name == "label" {
        label = try value.string()
      }
    }
    // The name of an item that is no login means nothing to people.
    if let label, !label.isEmpty, account == nil { return label }
    let whose = account.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
    return ByteString("\(place ?? "")\(whose)")
  }
}
