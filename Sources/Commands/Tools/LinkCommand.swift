import ArgumentParser
import Keychain
import ToolCommands

struct LinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Make the links by which tools call llavero",
    discussion: """
      Docker looks for docker-credential-llavero, cargo for cargo-credential-llavero, and so on. All of these are \
      links to one program. The packages and integration/install make them. If you installed llavero another way, make \
      them in a folder of your PATH:

        llavero link ~/.local/bin

      Nothing is replaced except a link to llavero. Without names, it makes all links that are llavero's own. If \
      llavero can stand in for another program, such as Python's keyring, you have to give that name.
      """)

  @Argument("Where to make them", value: "folder")
  var folder: String

  @Argument(help: ArgumentHelp("Only these", valueName: "name"))
  var names: [String] = []

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let known = ProgramLinks.all + ProgramLinks.standIns
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw .failure(
        "no tool calls llavero by the name \(unknown)",
        hint: "there are \(prose: known.joined(separator: ", "))", status: .usage)
    }
    let links = try ProgramLinks.plan(names.isEmpty ? ProgramLinks.all : names, in: folder)
    for link in links { try ProgramLinks.make(link) }
    let report = links.map { ["path": $0.path, "target": $0.target, "made": !$0.isThere] as JSONObject }
    let text = links.reduce(into: "" as TextForTerminal) { text, link in
      text += "  \(path: link.path) -> \(path: link.target)\(link.isThere ? ", as before" : "")\n"
    }
    try output.write(report, or: text)
  }
}
