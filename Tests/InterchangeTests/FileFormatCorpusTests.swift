import Expectations
import Interchange
import Properties
import TestSupport
import Testing

@Suite("what the fuzzer has found, interchange") struct FileFormatCorpusTests {
  @Test("a login can go from any file, and the others stay as they are")
  func corpus() throws {
    try expect(Corpus.failures(of: "interchange", FileFormatProperty.self), is: [])
  }

  @Test("a file with anything else in it is none of logins alone")
  func others() throws {
    for (text, format, hasOthers) in [
      ("https://a:b@h\n", FileFormat.gitCredentials, false), ("# https://a:b@h\n", .gitCredentials, true),
      ("[registry]\ntoken = 't'\n", .cargo, false), ("[registry]\ntoken = 't' # u\n", .cargo, true),
      ("[registry]\ntoken = 't'\ndefault = 'x'\n", .cargo, true), ("x = ['t']\n", .cargo, true),
      ("[s]\na = QQ==\n", .keyring, false), ("[s]\n; b = QQ==\na = QQ==\n", .keyring, true),
      (#"{"encrypted":false,"folders":[],"items":[]}"#, .bitwarden, false),
      (#"{"items":[],"sends":[{"text":"x"}]}"#, .bitwarden, true),
    ] {
      try expect(FoundLogins(Array(text.utf8), as: format).hasOthers, is: hasOthers, "\(text)")
    }
  }

  @Test("the same of samples, and of samples in disorder", arguments: Sample.all)
  func mutations(name: String, _: FileFormat) throws {
    let sample = try Sample.bytes(of: name)
    try lend(sample) { (bytes) throws(PropertyFailure) in try FileFormatProperty.check(bytes) }
    var random = SeededGenerator(seed: UInt64(sample.count))
    let special = "\"'\\,:;#=[]{}-_ \t\r\n\0\u{e9}".utf8.map { [$0] }
    for _ in 0..<(isLongForm ? 40 : 2) {
      let bytes = random.mutated(sample, dictionary: special)
      do throws(PropertyFailure) {
        try lend(bytes, FileFormatProperty.check)
      } catch {
        Issue.record("\(error): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
  }
}
