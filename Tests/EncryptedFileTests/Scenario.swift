import Expectations
import Keychain
import TestSupport
import Testing

/// What is done with some machines' vaults, and what comes of it, step by step.
///
/// Steps end with a semicolon or the line. `1 sets c; 2 has a b = …` begins with the machine; `1'` is one keychain object
/// that is used again, and `1(right)` somebody who types that passphrase. After ` = ` is the outcome, after ` ! ` the error;
/// an ellipsis stands for anything that follows. `{x|y}` is one case with x and one with y. ``Scene`` has the verbs.
struct Scenario: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let script: String

  init(_ name: String, _ script: String) { (testDescription, self.script) = (name, script) }

  /// Plays all cases.
  ///
  /// - Parameters:
  ///   - start: the steps before them.
  ///   - files: names of files in the vaults' folders that the script uses.
  func run(after start: String = "", files: [String: String] = [:]) throws {
    for script in Self.cases(script) { try Scene(testDescription, files: files).play(start + "\n" + script) }
  }

  private static func cases(_ script: String) -> [String] {
    guard let open = script.firstIndex(of: "{"), let close = script[open...].firstIndex(of: "}") else {
      return [script]
    }
    let choices = script[open..<close].dropFirst().split(separator: "|", omittingEmptySubsequences: false)
    return choices.flatMap { cases(String(script[..<open]) + $0 + script[close...].dropFirst()) }
  }
}

extension Scene {
  /// Plays the steps of one case.
  func play(_ script: String) throws {
    for step in script.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
      let step = step.trimming
      if step.isEmpty { continue }
      let told = "\(name): \(step)"
      var (command, outcome, fault) = (step, String?.none, String?.none)
      if let mark = (step + " ").firstRange(of: " = ") {
        (command, outcome) = (String(step[..<mark.lowerBound]), (step + " ")[mark.upperBound...].trimming)
      } else if let mark = step.firstRange(of: " ! ") {
        (command, fault) = (String(step[..<mark.lowerBound]), step[mark.upperBound...].trimming)
      }
      do {
        let result = try perform(command.split(separator: " ").map { String($0) })
        expect(fault == nil, "\(told): it ends with \(result)")
        if let outcome { expect(Self.fits(result, outcome), "\(told): it is \(result)") }
      } catch let error as Unmet {
        expect(false, "\(told): \(error.fact)")
      } catch {
        let isExpected = fault.map { error is KeychainError && Self.fits(words(error), $0) } ?? false
        expect(isExpected, "\(told): \(words(error))")
        if fault == nil { return }
      }
    }
  }

  private static func fits(_ result: String, _ expected: String) -> Bool {
    expected.hasSuffix("…") ? result.hasPrefix(expected.dropLast()) : result == expected
  }
}

/// What a step should have found.
struct Unmet: Error { let fact: String }

extension StringProtocol {
  fileprivate var trimming: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
