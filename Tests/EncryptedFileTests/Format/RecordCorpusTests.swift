import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, record") struct RecordCorpusTests {
  @Test("a record stands under its key and comes back as it was")
  func corpus() throws {
    try expect(Corpus.failures(of: "record", RecordProperty.self), is: [])
  }
}
