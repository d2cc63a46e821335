/// A session with the program in a form that a reviewer can read: commands, their input, and their output.
///
/// - `$ COMMAND` runs a line of shell in the transcript's own home;
/// - `< LINE` is a line of its standard input, which is empty otherwise;
/// - `& COMMAND` runs another one, which does what is written after the last of them;
/// - other lines are its standard output; one that looks like another kind of line is preceded by `| `;
/// - `2: LINE` is a line of its standard error;
/// - `? STATUS` is its status, which is 0 otherwise;
/// - `# TEXT` and blank lines before a command are remarks.
///
/// `{0D}` stands for a byte; `{NO LF}` for a missing line end; `{HOME}`, `{BIN}`, `{DATE}`, `{MINUTE}`, `{TIMEDATE}`,
/// `{EPOCH}`, `{UUID}`, `{SLOT}`, `{CODE}`, `{BUS}`, `{OWNER}` and `{PID}` for what varies. In an input `{PLACE}` stands for
/// git's lines of https://example.com, and `{LOGIN}` for these with those of alice and her password `s3cret`.
///
/// `changed COMMAND` prints what of a command's output differs from what the same command printed before.
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
    /// Whether it does what the step before it does.
    var isLikeBefore = false
  }

  /// The result of a command, with placeholders.
  struct Outcome: Equatable {
    var output = ""
    var errors = ""
    var status: Int32 = 0
  }

  init(parsing text: String) {
    var remarks: [String] = []
    var outcome = Outcome()
    // The steps at the end that do what is being read.
    var reading = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let isLikeBefore = line.hasPrefix("& ")
      if reading > 0, !isLikeBefore, line.isEmpty || line.hasPrefix("#") || line.hasPrefix("$ ") {
        for index in steps.indices.suffix(reading) { steps[index].outcome = outcome }
        (outcome, reading) = (Outcome(), 0)
      }
      if isLikeBefore || line.hasPrefix("$ ") {
        precondition(!isLikeBefore || reading > 0 && outcome == Outcome(), "nothing to be like: \(line)")
        steps.append(Step(remarks: remarks, command: String(line.dropFirst(2)), isLikeBefore: isLikeBefore))
        (remarks, reading) = ([], reading + 1)
      } else if reading == 0 {
        remarks.append(String(line))
      } else if line == "<" || line.hasPrefix("< ") {
        steps[steps.count - 1].input += Placeholders.bytes(line.dropFirst(2))
      } else if line == "2:" || line.hasPrefix("2: ") {
        outcome.errors += line.dropFirst(3) + "\n"
      } else if line.hasPrefix("? ") {
        guard let status = Int32(line.dropFirst(2)) else { fatalError("no status: \(line)") }
        outcome.status = status
      } else {
        outcome.output += (line == "|" || line.hasPrefix("| ") ? line.dropFirst(2) : line) + "\n"
      }
    }
    for index in steps.indices.suffix(reading) { steps[index].outcome = outcome }
    ending = remarks
  }

  /// The text of the transcript, with these outcomes in place of the expected ones.
  func text(with outcomes: [Outcome]) -> String {
    var lines: [String] = []
    for (index, (step, outcome)) in zip(steps, outcomes).enumerated() {
      let isLikeBefore = step.isLikeBefore && outcome == outcomes[index - 1]
      lines += step.remarks + [(isLikeBefore ? "& " : "$ ") + step.command]
      lines += Placeholders.inputLines(step.input).map { $0.isEmpty ? "<" : "< \($0)" }
      let isFollowed = index + 1 < outcomes.count && steps[index + 1].isLikeBefore
      if isFollowed, outcome == outcomes[index + 1] { continue }
      lines += Placeholders.lines(outcome.output).map {
        Self.isAmbiguous($0) ? ($0.isEmpty ? "|" : "| \($0)") : $0
      }
      lines += Placeholders.lines(outcome.errors).map { $0.isEmpty ? "2:" : "2: \($0)" }
      if outcome.status != 0 { lines.append("? \(outcome.status)") }
    }
    return (lines + ending).map { $0 + "\n" }.joined()
  }

  private static func isAmbiguous(_ line: String) -> Bool {
    line.isEmpty || line == "|" || line == "<" || line == "2:"
      || ["| ", "$ ", "& ", "< ", "2: ", "? ", "#"].contains { line.hasPrefix($0) }
  }
}
