package import Keychain

extension Failure {
  package func report() {
    StandardStreams.say("\(message)")
    if let hint { StandardStreams.say("hint: \(hint)") }
  }
}

extension KeychainError {
  /// The error in words.
  package var failure: Failure { Failure(self) }

  /// Whether a tool's request is at fault, or what it asks for isn't there.
  package var isOfRequest: Bool {
    switch self {
    case .described: true
    case .fault(let fault): fault.kind == .unusable
    default: false
    }
  }

  package var message: String { failure.message }
  package var hint: Hint? { failure.hint }
  package var status: ExitStatus { failure.status }
}

extension KeychainError {
  /// Rewords ArgumentParser's message about a wrong command line.
  package init(usage message: String, helpCommand: String) {
    var text = String(message.prefix { $0 != "\n" })
    if text.hasSuffix(".") { text.removeLast() }
    if let stop = text.firstIndex(of: "."), text[stop...].hasPrefix(". Did you mean") {
      text = "\(text[..<stop]); did you mean\(text[stop...].dropFirst(14))"
    }
    let offer = ". Please provide one of"
    if let stop = text.indices.first(where: { text[$0...].hasPrefix(offer) }) {
      text = "\(text[..<stop]); there are\(text[stop...].dropFirst(offer.count))"
    }
    // ArgumentParser puts several values on lines of their own.
    let values = message.split(separator: "\n").filter { $0.hasPrefix("  - ") }.map { "'\($0.dropFirst(4))'" }
    if text.hasSuffix(" the following:"), let last = values.last {
      text.removeLast(" the following:".count)
      text += " \(values.dropLast().joined(separator: ", ")) or \(last)"
    }
    self.init(
      text.prefix(1).lowercased() + text.dropFirst(), hint: "see '\(prose: helpCommand)'", status: .usage)
  }
}
