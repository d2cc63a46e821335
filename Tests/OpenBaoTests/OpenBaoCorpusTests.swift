import Expectations
import Properties
import TestSupport
import Testing

struct OpenBaoCorpusTests {
  @Test("what the fuzzer has found interesting")
  func corpus() throws {
    try expect(Corpus.failures(of: "server-replies", ServerRepliesProperty.self), is: [])
  }

  @Test("any bytes as a server's reply")
  func anyBytes() throws {
    var generator = SeededGenerator(seed: 24)
    let starts = [
      "\u{0}{\"data\":{\"data\":{\"secret\":\"s\"},\"metadata\":{\"version\":1,\"created_time\":\"2026-11-25T13:38:41.1Z\",\"deletion_time\":\"\",\"destroyed\":false}}}",
      "\u{2}{\"data\":{\"keys\":[\"a\",\"b/\"]}}",
      "\u{3}{\"auth\":{\"client_token\":\"s.1\",\"lease_duration\":60,\"renewable\":true}}",
      "\u{5}{\"secret\":\"s\",\"port\":\"443\",\"attributes\":\"{\\\"gena\\\":\\\"a\\\"}\"}",
      "\u{6}{\"errors\":[\"1 error\"]}", "\u{8}{\"errors\":[]}",
    ].map { Array($0.utf8) }
    let paths = ItemPathTests.rows.map { Array("\u{4}\($0.path)".utf8) }
    let dictionary = [
      "\"secret\":\"s\"", "\"version\":1", "null", "{}", "\\\"", "_b64", "~2D", "~2E", "/", "~", "-",
      "https/h/443/-/a/-/-", "~generic/", "443",
    ].map { Array($0.utf8) }
    for starts in [starts, paths] {
      for _ in 0..<rounds(20_000) {
        let bytes = generator.mutated(generator.pick(starts), dictionary: dictionary)
        try lend(bytes, ServerRepliesProperty.check)
      }
    }
  }
}
