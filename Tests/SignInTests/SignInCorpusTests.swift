import Expectations
import Properties
import Testing

struct SignInCorpusTests {
  @Test("what the fuzzer has found interesting")
  func corpus() throws {
    try expect(Corpus.failures(of: "sign-in-replies", SignInRepliesProperty.self), is: [])
  }
}
