import Properties
import Testing

@Suite("what the fuzzer has found, age-header") struct HeaderCorpusTests {
  @Test("what is read as a header has that one form, and stanzas come back")
  func corpus() throws {
    #expect(try Corpus.failures(of: "age-header", HeaderProperty.self) == [])
  }
}
