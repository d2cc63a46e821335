import Expectations
import Keychain
import TestSupport
import Testing
import ToolCommands

@testable import Commands

@Suite("generated secrets") struct SecretRecipeTests {
  private static func set(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

  private static func text(_ recipe: SecretRecipe) -> String {
    String(decoding: recipe.draw().revealed, as: UTF8.self)
  }

  @Test("a secret has its length, only characters of its alphabets, and one of each")
  func alphabets() throws {
    var generator = SeededGenerator(seed: 1)
    let names = ["lowercase", "uppercase", "letters", "digits", "symbols"]
    for _ in 0..<300 {
      let chosen = names.filter { _ in generator.number(in: 0..<2) == 0 }
      let sets = try Alphabet.sets(named: chosen.isEmpty ? "letters,digits" : chosen.joined(separator: ","))
      let length = generator.number(in: sets.count..<40)
      let text = Self.text(.characters(length, of: sets)).unicodeScalars
      expect(text.count, is: length)
      expect(text.allSatisfy { scalar in sets.contains { $0.contains(scalar) } })
      for set in sets { expect(text.contains { set.contains($0) }) }
    }
  }

  @Test("characters that take several bytes count once")
  func severalBytes() {
    let text = Self.text(.characters(50, of: [Self.set("é漢🔑")]))
    expect(text.unicodeScalars.count, is: 50)
    expect(text.unicodeScalars.allSatisfy { "é漢🔑".unicodeScalars.contains($0) })
  }

  /// A chi-square test for equal `counts`. A uniform distribution fails it, beyond six standard deviations, once in
  /// some hundred million runs.
  private static func isUniform(_ counts: [Int]) -> Bool {
    let expected = Double(counts.reduce(0, +)) / Double(counts.count)
    let chi = counts.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
    let freedom = Double(counts.count - 1)
    return chi < freedom + 6 * (2 * freedom).squareRoot() + 12
  }

  @Test("the bound itself tells an uneven die")
  func bound() {
    expect(Self.isUniform([1000, 1010, 990, 1000]))
    expect(!Self.isUniform([1000, 1150, 900, 950]))
  }

  @Test("every character is as likely as any other, at the first, a middle and the last place")
  func uniformCharacters() throws {
    let sets = try Alphabet.sets(named: "letters,digits,symbols")
    let flat = Array(sets.joined())
    // With this length hardly any secret lacks a class, so that every position is almost uniform.
    let recipe = SecretRecipe.characters(64, of: sets)
    var counts = [[Int]](repeating: [Int](repeating: 0, count: flat.count), count: 3)
    for _ in 0..<9000 {
      let scalars = Array(Self.text(recipe).unicodeScalars)
      for (row, place) in [0, 31, 63].enumerated() {
        counts[row][try #require(flat.firstIndex(of: scalars[place]))] += 1
      }
    }
    for row in counts { expect(Self.isUniform(row), "\(row)") }
  }

  @Test("every secret with one of each class is as likely as any other")
  func uniformSecrets() {
    // 2 × 3 × 2 of the 25 texts have both classes: ab or ba of {a, b} and {1, 2, 3}.
    let recipe = SecretRecipe.characters(2, of: [Self.set("ab"), Self.set("123")])
    var counts: [String: Int] = [:]
    for _ in 0..<12_000 { counts[Self.text(recipe), default: 0] += 1 }
    expect(counts.count, is: 12)
    expect(Self.isUniform(Array(counts.values)), "\(counts)")
    expect(abs(recipe.bits - 3.584962500721156) < 1e-9)
  }

  @Test("every word is as likely as any other")
  func uniformWords() throws {
    var counts = [Int](repeating: 0, count: WordList.words.count)
    for _ in 0..<600 {
      let words = Self.text(.words(64, separator: " ")).split(separator: " ")
      expect(words.count, is: 64)
      for word in words { counts[try #require(WordList.words.firstIndex(of: String(word)))] += 1 }
    }
    expect(Self.isUniform(counts))
  }

  @Test("the list has 1,024 words, each once, in small letters")
  func list() {
    expect(WordList.words.count, is: 1024)
    expect(Set(WordList.words).count, is: 1024)
    expect(WordList.words, is: WordList.words.sorted())
    for word in WordList.words {
      expect(3...7 ~= word.utf8.count && word.utf8.allSatisfy { 0x61...0x7a ~= $0 }, "\(word)")
    }
  }

  @Test("randomness is counted")
  func bits() throws {
    expect(SecretRecipe.words(6, separator: "-").bits, is: 60)
    expect(SecretRecipe.characters(8, of: [Self.set("01")]).bits, is: 8)
    let usual = SecretRecipe.characters(20, of: try Alphabet.sets(named: "letters,digits")).bits
    // 20 log2 62 is 119.08; some texts lack a digit.
    expect(118.9..<119.08 ~= usual)
  }

  @Test("classes are named once, and no others")
  func classes() throws {
    try expect(Alphabet.sets(named: "letters,lowercase,uppercase").count, is: 2)
    try expect(Alphabet.set(of: "aab").count, is: 2)
    for text in ["", "letters,", "Letters", "letters, digits", "hex"] {
      #expect(throws: KeychainError.self) { try Alphabet.sets(named: text) }
    }
    #expect(throws: KeychainError.self) { try Alphabet.set(of: "a\u{200b}") }
  }
}
