import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// The facts besides the keychain in `llavero status`: the tools that log in from here, and warnings. It only reads
/// files and runs no program; `llavero doctor` checks more.
struct Surroundings {
  /// Tools whose configuration names llavero.
  private let tools: [String]
  /// Those of them for which something else answers first.
  private let overruled: [String]
  /// Problems, each with the command to type next.
  private let warnings: [(subject: String, problem: String, remedy: [String])]

  /// The programs that get secrets from the keychain through the Secret Service.
  private let served: ServedPrograms?

  init(_ place: SetupPlace) {
    served = Program.secretService?.callers()
    var tools: [String] = []
    var overruled: [String] = []
    var warnings: [(String, String, [String])] = []
    for tool in ToolSetup.all {
      let state = SetupState(of: tool, place)
      if state.isSetUp {
        tools.append(tool.name)
        if !tool.answersBefore(place).isEmpty { overruled.append(tool.name) }
      } else if tool.name == "git", let uses = state.uses {
        let helpers = uses.split(separator: ",").map { String($0.drop { $0 == " " }) }
        let others = helpers.filter { !Self.isLlavero($0) }
        if others.count < helpers.count {
          tools.append(tool.name)
          if !others.isEmpty {
            warnings.append(
              ("git", "it has \(others.joined(separator: ", ")) beside llavero", ["llavero", "doctor"]))
          }
        }
      }
    }
    for loose in LooseCredentials.find() {
      warnings.append((loose.path, loose.problem, loose.remedy))
    }
    self.tools = tools
    self.overruled = overruled
    self.warnings = warnings
  }

  private static func isLlavero(_ helper: String) -> Bool {
    GitHelperChain.Helper(key: "", value: helper, origin: "", scope: "").isLlavero
  }

  private var toolsRow: [String] {
    if tools.isEmpty { return ["tools", "none is set up; see 'llavero setup'"] }
    let names = tools.joined(separator: ", ")
    if overruled.isEmpty { return ["tools", names] }
    let others = tools == overruled ? "" : "for \(overruled.joined(separator: ", ")) "
    return ["tools", "\(names), but \(others)see 'llavero setup'"]
  }

  var rows: [[String]] {
    [toolsRow]
      + servedRows
      + warnings.map { warning in
        let remedy: Hint = "\(commandOf: warning.remedy)"
        return ["warning", "\(warning.subject): \(warning.problem); \(remedy.description)"]
      }
  }

  private var servedRows: [[String]] {
    guard let served else { return [] }
    let process = served.process.map { ", by process \($0)" } ?? ""
    return [["serves", "programs, as the Secret Service\(process)"]]
      + served.callers.map { caller in
        let process = caller.process.map { " (\($0))" } ?? ""
        let calls = caller.calls == 1 ? "1 call" : "\(caller.calls) calls"
        let end = caller.isConnected ? "" : ", has ended"
        return [
          "caller",
          "\(caller.program ?? "a program that can't be told")\(process), \(calls) since \(dateText(caller.since, seconds: true))\(end)",
        ]
      }
  }

  /// The JSON members `served`, `tools` and `warnings`.
  var report: JSONObject {
    [
      "served": served.map(report), "tools": tools,
      "warnings": warnings.map { warning -> JSONObject in
        let hint: Hint = "\(wordsOf: warning.remedy)"
        return ["subject": warning.subject, "problem": warning.problem, "hint": hint.description]
      },
    ]
  }

  private func report(_ served: ServedPrograms) -> JSONObject {
    let callers = served.callers.map { caller -> JSONObject in
      [
        "program": caller.program, "process": caller.process, "connected": caller.isConnected,
        "since": caller.since, "calls": caller.calls,
      ]
    }
    return ["process": served.process, "callers": callers]
  }
}
