import Properties
import Testing

@Suite("certificates of the corpus") struct CertificateCorpusTests {
  @Test("have what must hold for any bytes")
  func corpus() throws {
    #expect(try Corpus.failures(of: "certificate", CertificateProperty.self) == [])
  }
}
