import Bytes
import Forwarding
import Properties

@testable import ForwardProgram

/// The properties of any bytes as what the agent reads: requests of `llavero forward`, its own responses, questions for
/// a person, and what its program has found.
enum AgentTextsProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    if let request = try? ControlRequest(parsing: input) {
      try checkForm(request.encoded) { (bytes) throws(JSONReader.Malformed) in
        try ControlRequest(parsing: bytes).encoded
      }
    }
    if let response = try? ControlResponse(parsing: input) {
      try checkForm(response.encoded) { (bytes) throws(JSONReader.Malformed) in
        try ControlResponse(parsing: bytes).encoded
      }
    }
    try checkQuestion(input)
    try checkOutcome(input)
  }

  private static func checkQuestion(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let question = try? QuestionText(parsing: input) else { return }
    try checkForm(question.encoded) { (bytes) throws(ForwardingWork.Malformed) in
      try QuestionText(parsing: bytes).encoded
    }
    let sentence = question.sentence
    try require(sentence == showingInvisible(sentence), "nothing in a question controls the terminal")
    try require(!sentence.contains("\n"), "a question is one line")
  }

  private static func checkOutcome(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let outcome = ForwardingService.Outcome(parsing: input) else { return }
    try checkForm(outcome.encoded) { (bytes) throws(ForwardingWork.Malformed) in
      guard let again = ForwardingService.Outcome(parsing: bytes) else { throw ForwardingWork.Malformed() }
      return again.encoded
    }
  }

  /// What was read is written in one form, which is read alike.
  static func checkForm<Failure: Error>(
    _ written: borrowing Secret, of what: String = "it",
    _ writtenAgain: (UnsafeRawBufferPointer) throws(Failure) -> Secret
  ) throws(PropertyFailure) {
    let again = try require("what was written can be read") { () throws(Failure) in
      try written.withUnsafeBytes { (bytes) throws(Failure) in try writtenAgain(bytes) }
    }
    try require(again.isEqual(to: written), "\(what) has one form")
  }
}
