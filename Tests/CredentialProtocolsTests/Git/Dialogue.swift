import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// What git says to a helper, what the helper answers, and a name that says why.
struct Dialogue: Sendable, CustomTestStringConvertible {
  let testDescription: String
  fileprivate(set) var lines: [String] = []

  /// Several, each below a line `# NAME`.
  static func all(_ text: String) -> [Dialogue] {
    text.split(separator: "\n").reduce(into: []) { dialogues, line in
      if line.hasPrefix("# ") {
        dialogues.append(Dialogue(testDescription: String(line.dropFirst(2))))
      } else {
        dialogues[dialogues.count - 1].lines.append(String(line))
      }
    }
  }
}

extension Conversation {
  /// Speaks line by line:
  ///
  ///     store LINES
  ///     get LINES -> ANSWER
  ///     erase LINES
  ///     count ITEMS
  ///     writes NUMBER
  ///     refused PATHS
  ///     unnamed ERASED-ITEMS
  ///     wait SECONDS, at SECOND
  ///
  /// It is about https and example.com where a request says nothing else. `{9}` is 9 seconds after the beginning, and
  /// `{state}` is the state of the last answer that had one.
  func hold(_ lines: [String]) throws {
    for line in lines {
      let words = line.split(separator: " ")
      let given = words.prefix { $0 != "->" }.dropFirst().map(replacingPlaces)
      let number = given.first.flatMap { Int64($0) } ?? 0
      switch words[0] {
      case "wait": fresh.clock.advance(seconds: number)
      case "at": fresh.clock.now = Timestamp(seconds: start + number)
      case "count": try expect(Int64(count()), is: number, "\(line)")
      case "writes": expect(fresh.writes ?? number, is: number, "\(line)")
      case "refused": expect(refused.map { "\($0.path ?? "")" }, is: given, "\(line)")
      case "unnamed": expect(unnamed.map { "\($0)" }, is: given, "\(line)")
      default:
        let reply = try perform(#require(.init(rawValue: String(words[0]))), joined(request(given)))
        let spoken = reply.split(separator: "\n")
        if let state = spoken.first(where: { $0.hasPrefix("state[]=") }) { lastState = String(state) }
        let answer = words.drop { $0 != "->" }.dropFirst().map(replacingPlaces)
        expect(spoken.joined(separator: " "), is: answer.joined(separator: " "), "\(line)")
        expect(reply.isEmpty || reply.last == "\n")
      }
    }
  }

  /// Speaks line by line.
  func hold(_ text: String) throws { try hold(text.split(separator: "\n").map(String.init)) }

  private func request(_ lines: [String]) -> [String] {
    func has(_ key: String) -> Bool { lines.contains { $0.hasPrefix(key) } }
    if has("url=") || has("protocol=cert") { return lines }
    return (has("protocol=") ? [] : ["protocol=https"]) + (has("host=") ? [] : ["host=example.com"]) + lines
  }

  private func replacingPlaces(_ word: some StringProtocol) -> String {
    if word == "{state}" { return lastState }
    guard word.last == "}", let brace = word.firstIndex(of: "{"),
      let seconds = Int64(word[word.index(after: brace)...].dropLast())
    else { return String(word) }
    return word[..<brace] + String(start + seconds)
  }
}
