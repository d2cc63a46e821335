import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, git-request") struct GitRequestCorpusTests {
  @Test("a request says one thing, and is answered by what it stored")
  func corpus() throws {
    try expect(Corpus.failures(of: "git-request", GitRequestProperty.self), is: [])
  }
}
