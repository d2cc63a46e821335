import ArgumentParser
import JSON
import Keychain
import Terminals

/// `llavero link`
struct LinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Make the links by which tools call llavero",
    discussion: """
      Docker looks for docker-credential-llavero, cargo for cargo-credential-llavero, and so on: all of these are links \
      to this one program, and integration/install makes them. Where it came another way, make them in a folder of \
      your PATH:

        llavero link ~/.local/bin

      Nothing is replaced but a link to llavero. Without names, all are made that are llavero's own; the \
      name of another program that llavero can stand in for, as Python's keyring, has to be given.
      """)

  @Argument(help: ArgumentHelp("Where to make them", valueName: "folder"))
  var folder: String

  @Argument(help: ArgumentHelp("Only these", valueName: "name"))
  var names: [String] = []

  @OptionGroup var output: OutputOptions

  func run() throws {
    let known = ProgramLinks.all + ProgramLinks.standIns
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw Failure(
        "llavero isn't called \(unknown) by any tool",
        hint: "there are \(prose: known.joined(separator: ", "))", status: .usage)
    }
    let links = try ProgramLinks.plan(names.isEmpty ? ProgramLinks.all : names, in: folder)
    for link in links { try ProgramLinks.make(link) }
    if output.json {
      var json = JSONWriter()
      json.beginArray()
      for link in links {
        json.beginObject()
        json.member("path", ByteString(link.path))
        json.member("target", ByteString(link.target))
        json.member("made", !link.isThere)
        json.endObject()
      }
      json.endArray()
      return try StandardStreams.write(json.finishLine())
    }
    let lines = links.map { "  \($0.path) -> \($0.target)\($0.isThere ? ", as before" : "")" }
    try StandardStreams.write(lines.reduce(into: "") { $0 += "\($1)\n" } as TextForTerminal)
  }
}
