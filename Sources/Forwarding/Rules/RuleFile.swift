package import Bytes
import Keychain

/// A person's rules, as in a file: a rule on each line, empty lines, and comments that begin with `#`.
///
/// It is read strictly: with one invalid line it has no rules at all, because the line may have been meant to forbid
/// something.
package struct RuleFile: Equatable, Sendable {
  package enum Line: Equatable, Sendable {
    case rule(ForwardingRule)
    /// An empty line or a comment, unchanged except for carriage returns at its end.
    case other(ByteString)
  }

  /// Why a file has no rules.
  package struct Malformed: Error, Equatable, Sendable {
    /// The number of the line, from 1.
    package let line: Int
    package let fault: RuleFault
  }

  /// The largest file, in bytes.
  package static let maximumSize = 1 << 20

  package var lines: [Line] = []

  package init() {}

  /// - Throws: ``Malformed`` for the first invalid line.
  package init(parsing text: UnsafeRawBufferPointer) throws(Malformed) {
    var rest = Lines(text)
    while let line = rest.next() {
      let start = line.first { $0 != 0x20 && $0 != 0x09 }
      if start == nil || start == UInt8(ascii: "#") {
        let end = line.lastIndex { $0 != 0x0d }.map { $0 + 1 } ?? 0
        lines.append(.other(ByteString(line.part(0, end))))
        continue
      }
      do throws(RuleFault) {
        lines.append(.rule(try ForwardingRule(parsing: line)))
      } catch {
        throw Malformed(line: lines.count + 1, fault: error)
      }
    }
  }

  package var rules: [ForwardingRule] {
    lines.compactMap { line in
      if case .rule(let rule) = line { rule } else { nil }
    }
  }

  /// Adds a rule. It replaces one with the same host, place, tool and account; expired rules are removed.
  package mutating func set(_ rule: ForwardingRule, at now: Timestamp) {
    removeRules { $0.isAboutTheSame(as: rule) || !$0.counts(at: now) }
    lines.append(.rule(rule))
  }

  @discardableResult
  package mutating func removeRules(where isToBeRemoved: (ForwardingRule) -> Bool) -> Int {
    let before = lines.count
    lines.removeAll { line in
      if case .rule(let rule) = line { isToBeRemoved(rule) } else { false }
    }
    return before - lines.count
  }

  package var text: [UInt8] {
    lines.flatMap { line -> [UInt8] in
      switch line {
      case .rule(let rule): Array(rule.text.utf8) + [0x0a]
      case .other(let text): text.bytes + [0x0a]
      }
    }
  }
}

extension ForwardingRule {
  /// Whether they differ at most in the verdict, the right to change, and the expiry.
  package func isAboutTheSame(as other: ForwardingRule) -> Bool {
    host == other.host && place == other.place && tool == other.tool && account == other.account
      && isExact == other.isExact
  }
}
