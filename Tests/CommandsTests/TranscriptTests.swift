import Expectations
import Glibc
import TestSupport
import Testing

/// A file in the folder Transcripts.
struct TranscriptFile: Sendable, CustomTestStringConvertible {
  let name: String
  var testDescription: String { name }

  static let folder = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Transcripts"
  var path: String { "\(Self.folder)/\(name)" }

  static let all = names(in: folder).filter { $0.hasSuffix(".txt") }.map(TranscriptFile.init)

  /// Whether it tests `security`, whose messages are those of Apple's program.
  var isOfSecurity: Bool { name.hasPrefix("security") }

  func read() throws -> Transcript {
    Transcript(parsing: String(decoding: try contents(of: path), as: UTF8.self))
  }

  func write(_ text: String) throws { try put(Array(text.utf8), into: path) }
}

@Suite("transcripts", .timeLimit(.minutes(60))) struct TranscriptTests {
  @Test("there are transcripts")
  func some() {
    expect(TranscriptFile.all.count > 10, "in \(TranscriptFile.folder)")
  }

  /// `LLAVERO_RECORD_TRANSCRIPTS=1` records the present output; review every line of the diff.
  @Test("the program answers as written down", arguments: TranscriptFile.all)
  func transcript(file: TranscriptFile) async throws {
    let transcript = try file.read()
    let sandbox = Sandbox(hasKeyring: transcript.hasKeyring)
    var outcomes: [Transcript.Outcome] = []
    for step in transcript.steps { outcomes.append(try await sandbox.run(step.command, input: step.input)) }
    if getenv("LLAVERO_RECORD_TRANSCRIPTS") != nil { return try file.write(transcript.text(with: outcomes)) }
    for (step, outcome) in zip(transcript.steps, outcomes) {
      let comment = Comment(rawValue: "\(file.name): \(step.command)")
      expect(outcome.output, is: step.outcome.output, comment)
      expect(outcome.errors, is: step.outcome.errors, comment)
      expect(outcome.status, is: step.outcome.status, comment)
    }
  }

  @Test(
    "a message is a line of the program's, in small letters and without a full stop",
    arguments: TranscriptFile.all.filter { !$0.isOfSecurity })
  func conventions(file: TranscriptFile) throws {
    for step in try file.read().steps where !step.outcome.errors.isEmpty {
      let lines = Placeholders.lines(step.outcome.errors)
      expect(lines.count <= 2, "\(step.command)")
      for (index, line) in lines.enumerated() {
        try #require(line.hasPrefix("llavero: "), "\(step.command): \(line)")
        let text = line.dropFirst("llavero: ".count)
        // Two messages may say what is so now; a hint goes with one.
        expect(index == 1 || !text.hasPrefix("hint: "), "\(line)")
        let start = text.hasPrefix("hint: ") ? text.dropFirst(6).first : text.first
        let isVariable = text.hasPrefix("HOME") || text.hasPrefix("LLAVERO_")
        expect(start?.isUppercase == false || isVariable, "\(line)")
        expect(!line.hasSuffix("."), "\(line)")
      }
      // The results of a diagnosis are its output, especially if they are bad.
      let isDiagnosis = ["llavero doctor", "llavero explain"].contains { step.command.contains($0) }
      // What docker's clients need to hear, so that they go on without a login.
      let isForDocker = step.outcome.output == "credentials not found in native keychain\n"
      // For programs, nothing is an empty array.
      let isNothing = step.command.contains("--json") && step.outcome.output == "[]\n"
      if step.outcome.status != 0, !isDiagnosis, !isForDocker, !isNothing {
        expect(step.outcome.output.isEmpty, "\(step.command)")
      }
    }
  }

  @Test(
    "security says what the original says, and then perhaps what llavero has to say",
    arguments: TranscriptFile.all.filter(\.isOfSecurity))
  func conventionsOfSecurity(file: TranscriptFile) throws {
    for step in try file.read().steps where step.outcome.status != 0 {
      let lines = Placeholders.lines(step.outcome.errors)
      let first = try #require(lines.first, "\(step.command)")
      expect(
        ["security: ", "Error: ", "usage: "].contains { first.hasPrefix($0) }, "\(step.command): \(first)")
      expect(lines.dropFirst().allSatisfy { !$0.hasPrefix("security: ") }, "\(step.command)")
      let own = lines.filter { $0.hasPrefix("llavero: ") }
      expect(own.count <= 2 && own.allSatisfy { !$0.hasSuffix(".") }, "\(step.command)")
      expect(step.outcome.output.isEmpty, "\(step.command)")
    }
  }

  @Test("a transcript is written as it was read", arguments: TranscriptFile.all)
  func rendering(file: TranscriptFile) throws {
    let transcript = try file.read()
    let again = Transcript(parsing: transcript.text(with: transcript.steps.map(\.outcome)))
    expect(again.steps.map(\.outcome), is: transcript.steps.map(\.outcome))
    expect(again.steps.map(\.input), is: transcript.steps.map(\.input))
  }

  @Test("no secret is told in a message", arguments: TranscriptFile.all)
  func secrets(file: TranscriptFile) throws {
    for step in try file.read().steps { expect(!step.outcome.errors.contains("s3cret"), "\(step.command)") }
  }
}
