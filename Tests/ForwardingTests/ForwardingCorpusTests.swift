import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, forwarding") struct ForwardingCorpusTests {
  @Test("requests and responses have one form")
  func messages() throws {
    try expect(Corpus.failures(of: "forward-messages", ForwardMessagesProperty.self), is: [])
  }

  @Test("rules come back as they were")
  func rules() throws {
    try expect(Corpus.failures(of: "rules", RulesProperty.self), is: [])
  }

  @Test("what the agent reads has one form")
  func texts() throws {
    try expect(Corpus.failures(of: "agent-texts", AgentTextsProperty.self), is: [])
  }
}
