import ArgumentParser
import EncryptedFile
import Keychain

/// `llavero doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say of each keychain whether it can be used, why not, and what to do",
    discussion: """
      Looks at everything that each keychain depends on, up to the first thing that doesn't hold, and says what to \
      type next. Exit status 2 if the keychain in use is the one that can't be used.
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var selection = keychain.selection
    selection.mayAsk = false
    selection.mayPrompt = false
    var whyNoService = "\(SecretServiceProgram.name) is not installed"
    if Program.secretService == nil, let program = SecretServiceProgram() {
      do throws(Failure) {
        try program.run()
      } catch {
        whyNoService = error.message
      }
    }
    let reports = [try Self.fileReport(selection), try Self.serviceReport(selection, or: whyNoService)]
    let (chosen, why) = try Self.chosen(selection, reports)
    try StandardStreams.write(
      output.json ? Self.json(reports, chosen, why) : Secret(Self.text(reports, chosen, why)))
    if let report = reports.first(where: { $0.kind == chosen }), !report.isUsable {
      throw Failure("the keychain in use can't be used", status: .keychain)
    }
  }

  /// What was found out about one keychain.
  private struct Report {
    let kind: KeychainKind
    let findings: [Finding]

    var isUsable: Bool { findings.allSatisfy { $0.problem == nil } }
  }

  // MARK: Looking

  private static func chosen(
    _ selection: KeychainSelection, _ reports: [Report]
  ) throws(Failure) -> (KeychainKind, String) {
    let location = try explaining { () throws(KeychainError) in try VaultLocation() }
    if let choice = try KeychainChoice.made(named: selection.name, at: location) {
      return (choice.kind, choice.reasonText)
    }
    let isServiceUsable = reports.contains { report in
      report.kind == .secretService
        && report.findings.allSatisfy { finding in
          if case .collectionLocked? = finding.problem { return true }
          return finding.problem == nil
        }
    }
    return isServiceUsable
      ? (.secretService, "for a Secret Service answers") : (.file, "for no Secret Service can be used")
  }

  private static func fileReport(_ selection: KeychainSelection) throws(Failure) -> Report {
    let file = try selection.encryptedFile()
    var findings: [Finding] = []
    do throws(KeychainError) {
      guard let summary = try file.summary() else {
        findings.append(Finding("vault", "none yet at \(file.location.vaultFile); the first store makes it"))
        return Report(kind: .file, findings: findings)
      }
      findings.append(Finding("vault", file.location.vaultFile))
      findings.append(Finding("owner and mode", "yours alone"))
      findings.append(Finding("format", "\(summary.version)"))
      findings.append(
        Finding(
          "unlocked by", summary.hasPassphrase ? "a passphrase" : "the key \(file.location.identityFile)"))
      findings.append(
        Finding(
          "items", summary.contents.map { "\($0.count)" } ?? "unknown, for nobody was asked to unlock it"))
    } catch {
      findings.append(Finding("vault", file.location.vaultFile, problem: error))
    }
    return Report(kind: .file, findings: findings)
  }

  private static func serviceReport(
    _ selection: KeychainSelection, or reason: String
  ) throws(Failure) -> Report {
    guard let provider = Program.secretService else {
      return Report(
        kind: .secretService, findings: [Finding("program", nil, problem: .unavailable(reason: reason))])
    }
    return Report(
      kind: .secretService, findings: provider.diagnose(try selection.secretServiceSettings()))
  }

  // MARK: Telling

  private static func text(_ reports: [Report], _ chosen: KeychainKind, _ why: String) -> String {
    var text = "In use: \(chosen.rawValue), \(terminalText(why))\n"
    for report in reports {
      text += "\n\(report.kind.rawValue): \(report.isUsable ? "can be used" : "can't be used as it is")\n"
      var rows: [[String]] = []
      for finding in report.findings {
        let failure = finding.problem.map { Failure($0) }
        let found = [finding.value, failure?.message].compactMap { $0 }.joined(separator: ": ")
        rows.append(["  " + finding.subject, terminalText(found)])
        if let hint = failure?.hint { rows.append(["  next", terminalText(hint)]) }
      }
      text += columns(rows)
    }
    return text
  }

  private static func json(_ reports: [Report], _ chosen: KeychainKind, _ why: String) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("keychain", ByteString(chosen.rawValue))
    json.member("reason", ByteString(why))
    json.beginArray("keychains")
    for report in reports {
      json.beginObject()
      json.member("keychain", ByteString(report.kind.rawValue))
      json.member("usable", report.isUsable)
      json.beginArray("findings")
      for finding in report.findings {
        json.beginObject()
        json.member("subject", ByteString(finding.subject))
        json.member("value", finding.value.map { ByteString($0) })
        if let problem = finding.problem {
          let failure = Failure(problem)
          json.member("problem", ByteString(failure.message))
          if case .refused(_, let name, _) = problem { json.member("error", ByteString(name)) }
          json.member("hint", failure.hint.map { ByteString($0) })
        }
        json.endObject()
      }
      json.endArray()
      json.endObject()
    }
    json.endArray()
    json.endObject()
    var text = json.finish()
    text.append("\n")
    return text
  }
}
