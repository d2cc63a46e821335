import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, vault-head") struct VaultHeadCorpusTests {
  @Test("a first line comes back as it was")
  func corpus() throws {
    try expect(Corpus.failures(of: "vault-head", VaultHeadProperty.self), is: [])
  }
}
