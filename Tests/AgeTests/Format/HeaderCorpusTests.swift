import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, age-header") struct HeaderCorpusTests {
  @Test("what is read as a header has that one form, and stanzas come back")
  func corpus() throws {
    try expect(Corpus.failures(of: "age-header", HeaderProperty.self), is: [])
  }
}
