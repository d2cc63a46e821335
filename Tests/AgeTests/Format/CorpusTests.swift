import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found in age files") struct CorpusTests {
  @Test("what is decoded has one armor, and what is armored comes back")
  func armor() throws { try expect(Corpus.failures(of: "armor", ArmorProperty.self), is: []) }

  @Test("what is read as a header has that one form, and stanzas come back")
  func headers() throws { try expect(Corpus.failures(of: "age-header", HeaderProperty.self), is: []) }
}
