import JSON
import Keychain

/// The facts besides the keychain that `llavero status` reports: the tools that log in from here, and warnings. Only
/// files are read and no program is run; `llavero doctor` checks more.
struct Surroundings {
  /// Tools whose configuration names llavero.
  private let tools: [String]
  /// Problems, each with the command to type next.
  private let warnings: [(subject: String, problem: String, remedy: String)]

  init(_ place: SetupPlace) {
    var tools: [String] = []
    var warnings: [(String, String, String)] = []
    for tool in ToolSetup.all {
      let state = SetupState(of: tool, place)
      if state.isSetUp {
        tools.append(tool.name)
      } else if tool.name == "git", let uses = state.uses {
        let helpers = uses.split(separator: ", ").map(String.init)
        let others = helpers.filter { !Self.isLlavero($0) }
        if others.count < helpers.count {
          tools.append(tool.name)
          if !others.isEmpty {
            warnings.append(
              ("git", "it has \(others.joined(separator: ", ")) beside llavero", "llavero doctor"))
          }
        }
      }
    }
    for loose in LooseCredentials.find() {
      warnings.append((loose.path, loose.problem, loose.remedy))
    }
    self.tools = tools
    self.warnings = warnings
  }

  private static func isLlavero(_ helper: String) -> Bool {
    GitHelperChain.Helper(key: "", value: helper, origin: "", scope: "").isLlavero
  }

  /// The facts as rows of text for people.
  var rows: [[String]] {
    [["tools", tools.isEmpty ? "none is set up; see 'llavero setup'" : tools.joined(separator: ", ")]]
      + warnings.map { ["warning", "\($0.subject): \($0.problem); '\($0.remedy)'"] }
  }

  /// Writes the JSON members `tools` and `warnings`.
  func write(to json: inout JSONWriter) {
    json.beginArray("tools")
    for tool in tools { json.element(ByteString(tool)) }
    json.endArray()
    json.beginArray("warnings")
    for warning in warnings {
      json.beginObject()
      json.member("subject", ByteString(warning.subject))
      json.member("problem", ByteString(warning.problem))
      json.member("hint", ByteString(warning.remedy))
      json.endObject()
    }
    json.endArray()
  }
}
