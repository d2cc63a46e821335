import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, vault-text") struct VaultTextCorpusTests {
  @Test("records are found by what their keys begin with, with an index and without")
  func corpus() throws {
    try expect(Corpus.failures(of: "vault-text", VaultTextProperty.self), is: [])
  }
}
