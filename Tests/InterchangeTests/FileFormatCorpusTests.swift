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

  @Test("the same of samples, and of samples in disorder", arguments: Sample.names)
  func mutations(name: String) throws {
    let sample = try Sample.bytes(of: name)
    try lend(sample) { (bytes) throws(PropertyFailure) in try FileFormatProperty.check(bytes) }
    var numbers = Numbers(seed: UInt64(sample.count))
    let special = Array("\"'\\,:;#=[]{}-_ \t\r\n\0\u{e9}".utf8)
    for _ in 0..<(isLongForm ? 40 : 2) {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.insert(special.randomElement(using: &numbers) ?? 0, at: place)
        case 2:
          bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &numbers)))
        case 3: bytes.removeSubrange(place...)
        default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 40)], at: place)
        }
      }
      do throws(PropertyFailure) {
        try lend(bytes, FileFormatProperty.check)
      } catch {
        Issue.record("\(error): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
  }
}

/// Numbers that are the same in every run (SplitMix64).
private struct Numbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
