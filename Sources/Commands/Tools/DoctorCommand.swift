import ArgumentParser
import Bytes
import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice
import ToolCommands

struct DoctorCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the keychains and the tools, and say what to do",
    discussion: """
      Checks everything that each keychain depends on, up to the first thing that fails, and says what to type next. \
      Then it checks what tools see: git's helpers, the links by which tools find llavero, and files that still have \
      passwords in plain text; and whether ssh forwards the keychain to the hosts that may have it. The exit status is \
      2 only if the keychain in use can't be used.
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func companionNeed() -> CompanionNeed { .examined }

  func run() throws(KeychainError) {
    var selection = keychain.selection
    selection.mayAsk = false
    selection.mayRunPrograms = false
    selection.mayPrompt = false
    selection.renewsUnlock = false
    let reports = try Self.reports(selection)
    let choice = Self.choice(selection, reports)
    let integrations = (try? SetupPlace()).map(IntegrationReport.init)
    let forwarding = ForwardingReport()
    try output.write(
      Self.report(reports, choice)
        + ["integrations": integrations?.report, "forwarding": forwarding?.report],
      or: Self.text(reports, choice) + (integrations?.text() ?? "") + (forwarding?.text() ?? ""))
    switch choice {
    case .unknown(let failure): throw failure
    case .known(let name, _, _):
      if let report = reports.first(where: { $0.name == name }), !report.isUsable {
        throw .failure("the keychain in use can't be used", status: .keychain)
      }
    }
  }

  private struct Report {
    let kind: KeychainKind
    let name: String
    let findings: [Finding]

    /// - Parameter name: the keychain's name, if that isn't its kind's.
    init(kind: KeychainKind, name: String? = nil, findings: [Finding]) {
      self.kind = kind
      self.name = name ?? kind.rawValue
      self.findings = findings
    }

    var isUsable: Bool { findings.allSatisfy { $0.problem == nil } }

    /// Whether this is a service that isn't there and that nobody misses: as on a server, where there is no bus, or because
    /// another keychain was chosen.
    func isUnneeded(_ choice: Choice) -> Bool {
      guard case .known(let used, _, let isChosen) = choice, used != name, kind.needsCompanion,
        let missing = findings.first(where: { $0.problem != nil }), let problem = missing.problem,
        isAbout(absence: problem)
      else { return false }
      return isChosen || missing.subject == "bus"
    }
  }

  // MARK: Checking

  private enum Choice {
    case known(String, why: String, isChosen: Bool = false)
    /// The remembered choice, or the environment's, is invalid.
    case unknown(KeychainError)
  }

  private static func choice(_ selection: KeychainSelection, _ reports: [Report]) -> Choice {
    do throws(KeychainError) {
      let location = try VaultLocation()
      let choice = try KeychainChoice.made(named: selection.name, at: location)
      if let choice {
        return .known(choice.name, why: choice.reasonText, isChosen: true)
      }
    } catch {
      return .unknown(error)
    }
    if KeychainEnvironment().namesForwarded {
      return .known(KeychainKind.forwarded.rawValue, why: "because LLAVERO_FORWARD names its socket")
    }
    if reports.contains(where: { $0.kind == .forwarded && $0.findings.first?.problem == nil }) {
      return .known(
        KeychainKind.forwarded.rawValue,
        why: KeychainChoice(kind: .forwarded, reason: .isForwarded).reasonText)
    }
    let isServiceUsable = reports.contains { report in
      report.kind == .secretService
        && report.findings.allSatisfy { finding in
          if case .collectionLocked? = finding.problem { return true }
          return finding.problem == nil
        }
    }
    return isServiceUsable
      ? .known(KeychainKind.secretService.rawValue, why: "because a Secret Service answers")
      : .known(KeychainKind.file.rawValue, why: "because no Secret Service can be used")
  }

  /// The reports on the listed keychains with a name of their own.
  private static func listedReports(_ selection: KeychainSelection) -> [Report] {
    guard let location = try? VaultLocation() else { return [] }
    let list: KeychainList
    do throws(KeychainError) {
      list = try KeychainList.read(in: location.stateFolder)
    } catch {
      return [Report(kind: .file, name: "other keychains", findings: [Finding("list", nil, problem: error)])]
    }
    return list.keychains.filter { !$0.isBuiltIn }.map { keychain in
      Report(
        kind: keychain.kind, name: keychain.name,
        findings: ListedKeychainFindings(of: keychain, selection).all)
    }
  }

  private static func reports(_ selection: KeychainSelection) throws(KeychainError) -> [Report] {
    var reports: [Report] = []
    for kind in KeychainKind.allCases where kind.hasBuiltIn {
      guard let findings = try kind.managed.findings(selection) else { continue }
      reports.append(Report(kind: kind, findings: findings))
    }
    return reports + listedReports(selection)
  }

  // MARK: Reporting

  private static func isAbout(absence problem: KeychainError) -> Bool {
    if case .unavailable = problem { true } else { false }
  }

  /// The problem, and the command to type next, without sending people in a circle.
  private static func explanation(of finding: Finding) -> (problem: String, next: String?)? {
    guard let problem = finding.problem else { return nil }
    let failure = problem.failure
    let next: String? =
      switch finding.subject {
      case "program": SecretServiceCompanion.remedy
      case "bus": "log in on the desktop, or run this under 'dbus-run-session'"
      case "owner of org.freedesktop.secrets" where !isAbout(absence: problem):
        "it hangs: end the service and start it again; LLAVERO_PROBE_TIMEOUT gives it more time"
      case "owner of org.freedesktop.secrets":
        "install and start gnome-keyring or another service, or type 'llavero keychain use file'"
      default: failure.hint.map(\.description).flatMap { $0.hasPart("llavero doctor") ? nil : $0 }
      }
    if case .unavailable(let reason) = problem { return (reason, next) }
    return (failure.message, next)
  }

  private static func text(_ reports: [Report], _ choice: Choice) -> TextForTerminal {
    var text: TextForTerminal
    switch choice {
    case .known(let name, let why, _): text = "In use: \(name), \(why)\n"
    case .unknown: text = "In use: can't be told\n"
    }
    for report in reports {
      let isUnneeded = report.isUnneeded(choice)
      let state =
        report.isUsable ? "can be used" : isUnneeded ? "not here, and not needed" : "can't be used as it is"
      text += "\n\(report.name): \(state)\n"
      var rows: [[String]] = []
      for finding in report.findings {
        let explanation = explanation(of: finding)
        rows.append(["  " + finding.subject, IntegrationReport.found(finding.value, explanation?.problem)])
        if !isUnneeded, let next = explanation?.next { rows.append([IntegrationReport.next, next]) }
      }
      text += IntegrationReport.columns(rows)
    }
    return text
  }

  private static func report(_ reports: [Report], _ choice: Choice) -> JSONObject {
    let inUse: JSONObject =
      switch choice {
      case .known(let name, let why, _): ["keychain": name, "reason": why]
      case .unknown(let failure): ["problem": failure.message]
      }
    let keychains = reports.map { report -> JSONObject in
      [
        "keychain": report.name, "kind": report.name == report.kind.rawValue ? nil : report.kind.rawValue,
        "usable": report.isUsable, "needed": report.isUnneeded(choice) ? false : nil,
        "findings": report.findings.map(Self.report),
      ]
    }
    return inUse + ["keychains": keychains]
  }

  private static func report(_ finding: Finding) -> JSONObject {
    let explanation = explanation(of: finding)
    let error: String? = if case .refused(_, let name, _)? = finding.problem { name } else { nil }
    return [
      "subject": finding.subject, "value": finding.value, "problem": explanation?.problem, "error": error,
      "hint": explanation?.next,
    ]
  }
}
