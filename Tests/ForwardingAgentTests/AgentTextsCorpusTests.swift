import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, forwarding agent") struct AgentTextsCorpusTests {
  @Test("what the agent reads has one form")
  func texts() throws {
    try expect(Corpus.failures(of: "agent-texts", AgentTextsProperty.self), is: [])
  }
}
