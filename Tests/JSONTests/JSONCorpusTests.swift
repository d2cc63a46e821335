import Bytes
import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, json") struct JSONCorpusTests {
  @Test("what is read lies within the text, and what is written comes back")
  func corpus() throws {
    try expect(Corpus.failures(of: "json", JSONProperty.self), is: [])
  }
}
