import Properties
import Testing

@Suite("what the fuzzer has found, forwarding") struct ForwardingCorpusTests {
  @Test("requests and responses have one form")
  func messages() throws {
    #expect(try Corpus.failures(of: "forward-messages", ForwardMessagesProperty.self) == [])
  }

  @Test("rules come back as they were")
  func rules() throws {
    #expect(try Corpus.failures(of: "rules", RulesProperty.self) == [])
  }
}
