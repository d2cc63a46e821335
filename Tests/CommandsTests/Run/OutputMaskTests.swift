import Bytes
import Expectations
import TestSupport
import Testing

@testable import Commands

@Suite("Hiding secrets in output")
struct OutputMaskTests {
  private let sign = Array("<hidden by llavero>".utf8)

  /// The text with the secrets hidden, passed in pieces that end at the given places.
  private func masked(_ text: [UInt8], _ secrets: [[UInt8]], at cuts: [Int] = []) -> [UInt8] {
    var mask = OutputMask { hide in
      for secret in secrets { secret.withUnsafeBytes { hide($0) } }
    }
    var shown: [UInt8] = []
    var start = 0
    for end in cuts.sorted() + [text.count] {
      let isEnd = end == text.count
      text[start..<end].withUnsafeBytes { piece in
        mask.pass(piece, isEnd: isEnd).withUnsafeBytes { shown += Array($0) }
      }
      start = end
    }
    return shown
  }

  private func masked(_ text: String, _ secrets: [String], at cuts: [Int] = []) -> String {
    String(decoding: masked(Array(text.utf8), secrets.map { Array($0.utf8) }, at: cuts), as: UTF8.self)
  }

  private func base64(_ bytes: [UInt8]) -> [UInt8] {
    var text = Secret()
    bytes.withUnsafeBytes { Base64.encode($0, to: &text) }
    return text.withUnsafeBytes { Array($0) }
  }

  private func percent(_ bytes: [UInt8], all: Bool, lower: Bool) -> [UInt8] {
    bytes.flatMap { byte -> [UInt8] in
      let isPlain = 0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
      if isPlain, !all { return [byte] }
      let digits = String(byte, radix: 16, uppercase: !lower)
      return Array(("%" + (digits.count < 2 ? "0" : "") + digits).utf8)
    }
  }

  @Test("a secret is hidden, wherever the reads end")
  func plain() {
    expect(masked("pw=s3cret;", ["s3cret"]), is: "pw=<hidden by llavero>;")
    for cut in 0...10 {
      expect(masked("pw=s3cret;", ["s3cret"], at: [cut]), is: "pw=<hidden by llavero>;")
    }
    expect(masked("s3cre s3cret s3cr", ["s3cret"], at: [3, 9]), is: "s3cre <hidden by llavero> s3cr")
    expect(masked("tok token", ["tok", "token"]), is: "<hidden by llavero> <hidden by llavero>")
    expect(masked("nothing", []), is: "nothing")
    expect(masked("nothing", [""]), is: "nothing")
    expect(masked("a%2Fb%20c+d a%2fb+c%2Bd", ["a/b c+d"]), is: "<hidden by llavero> <hidden by llavero>")
    expect(masked("50%25 50% off", ["50%"], at: [3]), is: "<hidden by llavero> <hidden by llavero> off")
    expect(masked("a%25b a%2525b", ["a%25b"], at: [2]), is: "<hidden by llavero> <hidden by llavero>")
  }

  @Test("secrets that overlap are hidden together, wherever the reads end")
  func overlapping() {
    let cases: [(String, [String], String)] = [
      ("<token123secret>", ["token123", "123secret"], "<<hidden by llavero>>"),
      ("<token123secret>", ["123secret", "token123", "123"], "<<hidden by llavero>>"),
      ("abababab.", ["abab"], "<hidden by llavero>."),
      ("abcdefgh.", ["abc", "cde", "efg"], "<hidden by llavero>h."),
      ("abcdabce.", ["abcda"], "<hidden by llavero>bce."),
      ("p%2Fq/r.", ["p/q", "q/r"], "<hidden by llavero>."),
    ]
    for (text, secrets, shown) in cases {
      for cut in 0...text.utf8.count { expect(masked(text, secrets, at: [cut]), is: shown) }
    }
  }

  @Test("of secrets at random none is missed in any form")
  func random() {
    var random = SeededGenerator(seed: 43)
    for round in 0..<rounds(1000) {
      let secret = (0..<random.number(in: 8..<80)).map { _ in
        round % 3 == 0 ? UInt8(random.number(in: 1..<256)) : UInt8(random.number(in: 0x21..<0x7f))
      }
      let other = Array("other-secret-\(round)".utf8)
      let user = random.bytes(random.number(in: 0..<4))
      let encoded = base64(user + secret + random.bytes(random.number(in: 0..<3)))
      let forms = [
        secret, percent(secret, all: false, lower: false), percent(secret, all: true, lower: true), encoded,
        encoded.map {
          $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        },
        Array(encoded.enumerated().flatMap { $0 > 0 && $0 % 19 == 0 ? [0x0a, $1] : [$1] }), other,
      ]
      for form in forms {
        let text = Array("before ".utf8) + form + Array(" after".utf8)
        let cuts = (0..<random.number(in: 0..<6)).map { _ in random.number(in: 0..<text.count) }
        let shown = masked(text, [other, secret], at: cuts)
        expect(
          contains(shown, sign) && !contains(shown, secret) && shown.starts(with: "before ".utf8)
            && shown.suffix(6).elementsEqual(" after".utf8),
          "\(ByteString(secret)) in \(ByteString(text)): \(ByteString(shown))")
        // At most the characters that a neighbour's bits are in are left.
        expect(shown.count <= "before  after".utf8.count + sign.count + 12)
      }
    }
  }

  @Test("bytes without a secret come out as they were")
  func others() {
    var random = SeededGenerator(seed: 44)
    for _ in 0..<200 {
      let text = random.bytes(random.number(in: 0..<400))
      let cuts = (0..<3).map { _ in random.number(in: 0..<(text.count + 1)) }
      expect(masked(text, [Array("a secret of some length".utf8)], at: cuts), is: text)
    }
  }

  private func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    text.count >= part.count
      && (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
