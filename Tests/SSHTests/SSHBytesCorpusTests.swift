import Expectations
import Properties
import Testing

@Suite("what the fuzzer has found, ssh-bytes") struct SSHBytesCorpusTests {
  @Test("frames, keys, binds and known hosts are read within their bounds")
  func corpus() throws {
    try expect(Corpus.failures(of: "ssh-bytes", SSHBytesProperty.self), is: [])
  }
}
