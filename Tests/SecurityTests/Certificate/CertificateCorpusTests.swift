import Expectations
import Properties
import Testing

@Suite("certificates of the corpus") struct CertificateCorpusTests {
  @Test("have what must hold for any bytes")
  func corpus() throws {
    try expect(Corpus.failures(of: "certificate", CertificateProperty.self), is: [])
  }
}
