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

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let log = LineLog.ofService(in: try VaultLocation().stateFolder)
    try log.show(goesOn: follow, isJSON: output.json, ServedAccess.text(of:))
  }
}

extension ServedAccess {
  /// A line of the log for people; `nil` if it is invalid.
  fileprivate static func text(of line: UnsafeRawBufferPointer) -> TextForTerminal? {
    guard let fields = try? JSONFields(line), let date = try? fields.value("date")?.timestamp(),
      let action = try? fields.bytes("action"), let outcome = try? fields.bytes("outcome"),
      let items = try? fields.elements("items", Self.item)
    else { return nil }
    let process: Int64? = try? fields.value("process")?.integer()
    let count: Int64 = (try? fields.value("count")?.integer()) ?? 0
    let program = try? fields.bytes("program")
    let who: TextForTerminal = "\(program ?? "unknown program")\(process.map { " (\($0))" } ?? "")"
    let named = items.prefix(3).map { "\($0)" }.joined(separator: ", ")
    let more = count > 3 ? " and \(count - 3) more" : ""
    let what = named.isEmpty ? "" : " \(named)\(more)"
    return "\(dateText(date, seconds: true))  \(who)  \(action)\(what): \(outcome)\n"
  }

  private static func item(_ item: JSONValue) throws(JSONReader.Malformed) -> ByteString {
    let fields = try JSONFields(item.raw)
    let account = try fields.text("account")
    // The name of an item that is no login means nothing to people.
    if let label = try fields.bytes("label"), !label.isEmpty, account == nil { return label }
    let whose = account.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
    return ByteString("\(try fields.text("place") ?? "")\(whose)")
  }
}
