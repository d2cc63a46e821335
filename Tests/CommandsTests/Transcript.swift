/// A session with the program in a form that a reviewer can read: commands, their input, and their output.
///
/// - `$ COMMAND` runs a line of shell in the transcript's own home;
/// - `< LINE` is a line of its standard input, which is empty otherwise;
/// - other lines are its standard output; one that looks like another kind of line is preceded by `| `;
/// - `2: LINE` is a line of its standard error;
/// - `? STATUS` ends the step;
/// - `# TEXT` and blank lines before a command are remarks.
///
/// `{0D}` stands for a byte; `{NO LF}` for a missing line end; `{HOME}`, `{BIN}`, `{DATE}`, `{MINUTE}`, `{TIMEDATE}`,
/// `{EPOCH}`, `{UUID}`, `{SLOT}`, `{CODE}`, `{BUS}`, `{OWNER}` and `{PID}` for what varies.
///
/// With the remark `# keyring` before the first command, the home has a session bus with an unlocked, empty keyring,
/// whose process id is in `$KEYRING`. Otherwise there is no bus.
struct Transcript {
  var steps: [Step] = []
  /// The remarks after the last step.
  var ending: [String] = []

  /// Whether the home needs a keyring.
  var hasKeyring: Bool { steps.first?.remarks.contains("# keyring") ?? false }

  struct Step {
    /// Remarks before the command.
    var remarks: [String]
    var command: String
    var input: [UInt8] = []
    var outcome = Outcome()
  }

  /// The result of a command, with placeholders.
  struct Outcome: Equatable {
    var output = ""
    var errors = ""
    var status: Int32 = 0
  }

  init(parsing text: String) {
    var remarks: [String] = []
    var step: Step?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("$ ") {
        precondition(step == nil, "no status before: \(line)")
        step = Step(remarks: remarks, command: String(line.dropFirst(2)))
        remarks = []
      } else if step == nil {
        remarks.append(String(line))
      } else if line == "<" || line.hasPrefix("< ") {
        step?.input += Placeholders.bytes(line.dropFirst(2))
      } else if line == "2:" || line.hasPrefix("2: ") {
        step?.outcome.errors += line.dropFirst(3) + "\n"
      } else if line.hasPrefix("? ") {
        guard var done = step, let status = Int32(line.dropFirst(2)) else { fatalError("no status: \(line)") }
        done.outcome.status = status
        steps.append(done)
        step = nil
      } else {
        step?.outcome.output += (line == "|" || line.hasPrefix("| ") ? line.dropFirst(2) : line) + "\n"
      }
    }
    precondition(step == nil, "the last step has no status")
    ending = remarks
  }

  /// The text of the transcript, with these outcomes in place of the expected ones.
  func text(with outcomes: [Outcome]) -> String {
    var lines: [String] = []
    for (step, outcome) in zip(steps, outcomes) {
      lines += step.remarks + ["$ \(step.command)"]
      lines += Placeholders.lines(Placeholders.text(step.input)).map { $0.isEmpty ? "<" : "< \($0)" }
      lines += Placeholders.lines(outcome.output).map {
        Self.isAmbiguous($0) ? ($0.isEmpty ? "|" : "| \($0)") : $0
      }
      lines += Placeholders.lines(outcome.errors).map { $0.isEmpty ? "2:" : "2: \($0)" }
      lines.append("? \(outcome.status)")
    }
    return (lines + ending).map { $0 + "\n" }.joined()
  }

  private static func isAmbiguous(_ line: String) -> Bool {
    line.isEmpty || line == "|" || line == "<" || line == "2:"
      || ["| ", "$ ", "< ", "2: ", "? "].contains { line.hasPrefix($0) }
  }
}
