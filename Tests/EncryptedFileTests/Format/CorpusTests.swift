import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found in vaults") struct CorpusTests {
  @Test("a record stands under its key and comes back as it was")
  func records() throws { try expect(Corpus.failures(of: "record", RecordProperty.self), is: []) }

  @Test("a first line comes back as it was")
  func heads() throws { try expect(Corpus.failures(of: "vault-head", VaultHeadProperty.self), is: []) }

  @Test("records are found by what their keys begin with, with an index and without")
  func texts() throws { try expect(Corpus.failures(of: "vault-text", VaultTextProperty.self), is: []) }
}
