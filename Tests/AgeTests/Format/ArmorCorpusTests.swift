import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, armor") struct ArmorCorpusTests {
  @Test("what is decoded has one armor, and what is armored comes back")
  func corpus() throws {
    try expect(Corpus.failures(of: "armor", ArmorProperty.self), is: [])
  }
}
