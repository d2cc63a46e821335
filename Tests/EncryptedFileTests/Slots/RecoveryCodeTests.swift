import Expectations
import Keychain
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Recovery codes")
struct RecoveryCodeTests {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  private func draw() -> String {
    RecoveryCode().text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The result of reading a text: the code as it is printed, or the groups that contain a typing error.
  private enum Outcome: Equatable {
    case other
    case code(String)
    case mistyped([Int], isGrouped: Bool)
  }

  private func read(_ text: String) -> Outcome {
    Array(text.utf8).withUnsafeBytes { bytes in
      switch RecoveryCode.read(bytes) {
      case .otherText: .other
      case .code(let code): .code(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      case .mistyped(let groups, let isGrouped): .mistyped(groups, isGrouped: isGrouped)
      }
    }
  }

  private func print(_ symbols: [Character]) -> String {
    stride(from: 0, to: symbols.count, by: 4).map { String(symbols[$0..<min($0 + 4, symbols.count)]) }
      .joined(separator: "-")
  }

  @Test("a code is seven groups of four, no two codes are alike, and every character occurs")
  func form() {
    let codes = (0..<200).map { _ in draw() }
    expect(Set(codes).count, is: codes.count)
    expect(Set(codes.joined()), is: Set(Self.alphabet + ["-"]))
    for code in codes {
      let groups = code.split(separator: "-", omittingEmptySubsequences: false)
      expect(groups.map(\.count), is: [Int](repeating: 4, count: 7))
      expect(read(code), is: .code(code))
    }
  }

  @Test("case, spaces, dashes, O, I and L don't matter, and what is read is what was printed")
  func tolerance() {
    for _ in 0..<100 {
      let code = draw()
      let bare = code.replacing("-", with: "")
      for typed in [
        code.lowercased(), bare, code.replacing("-", with: " "), " " + code + "  ",
        code.replacing("-", with: "- -"),
        code.replacing("0", with: "O").replacing("1", with: "I"),
        code.lowercased().replacing("0", with: "o").replacing("1", with: "l"),
        code.replacing("1", with: "L"), bare.map { "\($0)" }.joined(separator: " "),
      ] {
        expect(read(typed), is: .code(code), "\(typed)")
      }
    }
  }

  @Test("every wrong character is noticed, and its group is named")
  func substitutions() {
    for _ in 0..<rounds(40) {
      let symbols = draw().filter { $0 != "-" }.map { $0 }
      for position in symbols.indices {
        for symbol in Self.alphabet where symbol != symbols[position] {
          var wrong = symbols
          wrong[position] = symbol
          expect(read(print(wrong)), is: .mistyped([position / 4 + 1], isGrouped: true))
        }
      }
    }
  }

  @Test("every exchange of two neighbours is noticed, and where a group is named it is one of theirs")
  func transpositions() {
    var named = 0
    for _ in 0..<rounds(300) {
      let symbols = draw().filter { $0 != "-" }.map { $0 }
      for position in 0..<27 where symbols[position] != symbols[position + 1] {
        var wrong = symbols
        wrong.swapAt(position, position + 1)
        guard case .mistyped(let groups, true) = read(print(wrong)) else {
          Issue.record("passes: \(print(symbols)) as \(print(wrong))")
          continue
        }
        if groups.isEmpty { continue }
        named += 1
        expect(groups.contains(position / 4 + 1), "\(print(symbols)) as \(print(wrong))")
      }
    }
    expect(named > rounds(4000))
  }

  @Test("no two wrong characters pass")
  func twoSubstitutions() {
    var numbers = SeededGenerator(seed: 7)
    for _ in 0..<rounds(20_000) {
      var symbols = draw().filter { $0 != "-" }.map { $0 }
      let positions = Array(symbols.indices.shuffled(using: &numbers).prefix(2))
      for position in positions {
        symbols[position] =
          Self.alphabet.filter { $0 != symbols[position] }.randomElement(using: &numbers) ?? "0"
      }
      guard case .mistyped = read(print(symbols)) else {
        Issue.record("\(print(symbols)) passes")
        continue
      }
    }
  }

  @Test("a code with a character too few or too many, or with one that no code has, is none")
  func otherTexts() {
    let code = draw()
    for text in [
      "", "-", "correct horse battery staple", String(code.dropLast()), code + "0",
      code.replacing("-", with: "."),
      "U" + code.dropFirst(), "\u{30}\u{301}" + code.dropFirst(), code + "\n",
    ] {
      expect(read(text), is: .other, "\(text)")
    }
  }

  @Test("a sentence of 28 letters is not said to be typed in a code's groups")
  func ungrouped() {
    guard case .mistyped(_, isGrouped: false) = read("a red hat fits big cats well any day") else {
      Issue.record("\(read("a red hat fits big cats well any day"))")
      return
    }
    let code = Array(draw().filter { $0 != "-" })
    let wrong = [code[0] == "0" ? "1" : "0"] + code.dropFirst()
    guard case .mistyped([1], isGrouped: false) = read(String(wrong)) else {
      Issue.record("\(read(String(wrong)))")
      return
    }
  }
}
