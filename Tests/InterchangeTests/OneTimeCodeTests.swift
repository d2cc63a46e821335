import Bytes
import Expectations
import Interchange
import TestSupport
import Testing

/// Base32 of the keys of RFC 6238, appendix B: `12345678901234567890`, and so on to the length of the hash.
private let keys = [
  "SHA1": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  "SHA256": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
  "SHA512":
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
]

private func code(_ url: String, at seconds: Int64 = 59) -> String? {
  let secret = Secret(url).withUnsafeBytes { OneTimeCodeSecret(url: $0) }
  guard case .some(let secret) = secret else { return nil }
  return secret.code(at: Timestamp(seconds: seconds)).text.withUnsafeBytes {
    String(decoding: $0, as: UTF8.self)
  }
}

private func normal(_ text: String) -> String? {
  let url = Secret(text).withUnsafeBytes { OneTimeCodeURL.normal($0) }
  guard case .some(let url) = url else { return nil }
  return url.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

@Suite("one-time codes") struct OneTimeCodeTests {
  @Test(
    "codes of the time are those of RFC 6238, appendix B",
    arguments: [
      (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
      (1_111_111_111, "14050471", "67062674", "99943326"),
      (1_234_567_890, "89005924", "91819424", "93441116"),
      (2_000_000_000, "69279037", "90698825", "38618901"),
      (20_000_000_000, "65353130", "77737706", "47863826"),
    ])
  func time(seconds: Int64, sha1: String, sha256: String, sha512: String) {
    for (algorithm, expected) in [("SHA1", sha1), ("SHA256", sha256), ("SHA512", sha512)] {
      let url = "otpauth://totp/a?secret=\(keys[algorithm] ?? "")&digits=8&algorithm=\(algorithm)"
      expect(code(url, at: seconds), is: expected)
    }
  }

  @Test("codes that are counted are those of RFC 4226, appendix D")
  func counted() {
    let expected = [
      "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
    ]
    for (counter, expected) in expected.enumerated() {
      expect(code("otpauth://hotp/a?secret=\(keys["SHA1"] ?? "")&counter=\(counter)"), is: expected)
    }
  }

  @Test("Steam's codes are five letters and digits of its own")
  func steam() {
    // 1,284,755,224 of RFC 4226, appendix D, in base 26, the last digit first; and what KeePassXC gives.
    let url = "otpauth://totp/Steam?secret=\(keys["SHA1"] ?? "")"
    expect(code(url + "&encoder=steam", at: 0), is: "GG5F5")
    expect(code(url + "&encoder=steam&digits=5&period=30", at: 0), is: "GG5F5")
    expect(normal("steam://GEZDGNBVGY3TQOJQ GEZDGNBVGY3TQOJQ").flatMap { code($0, at: 0) }, is: "GG5F5")
    let other = "otpauth://totp/?secret=63BEDWCQZKTQWPESARIERL5DTTQFCJTK&encoder=steam"
    expect(code(other, at: 1_511_200_518) == "FR8RV" && code(other, at: 1_511_200_714) == "9P3VP")
  }

  @Test("a code says how long it is valid")
  func secondsLeft() {
    func left(_ url: String, at seconds: Int64) -> Int64? {
      guard case .some(let secret) = Secret(url).withUnsafeBytes({ OneTimeCodeSecret(url: $0) }) else {
        return -1
      }
      return secret.code(at: Timestamp(seconds: seconds)).secondsLeft
    }
    let url = "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ"
    expect(left(url, at: 59) == 1 && left(url, at: 60) == 30 && left(url + "&period=60", at: 61) == 59)
    expect(left("otpauth://hotp/?secret=GEZDGNBVGY3TQOJQ&counter=0", at: 61), is: nil)
  }

  @Test(
    "a URL is understood however programs write it",
    arguments: [
      "otpauth://totp/ACME:alice?secret=gezdgnbvgy3tqojqgezdgnbvgy3tqojq&issuer=ACME",
      "OTPAUTH://TOTP/?Secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      "otpauth://totp/a?issuer=b&secret=GEZDGNBVGY3TQOJQ%20GEZDGNBVGY3TQOJQ&algorithm=sha-1&image=x",
      "otpauth://totp?secret=GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ&algorithm=HmacSHA1&digits=6&period=30",
      "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ%3D%3D%3D",
    ]) func forms(url: String)
  { expect(code(url), is: "287082") }

  @Test(
    "a URL that can't be used is none",
    arguments: [
      "", "otpauth://", "otpauth://totp/a", "otpauth://totp/a?secret=", "otpauth://totp/a?secret=1",
      "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ8", "otpauth://totp/a?secret=A%3DA%3DAAAA",
      "otpauth://totp/a?secret=GEZDGNBV&secret=GEZDGNBV", "otpauth://totp/a?secret=GEZDGNBV&digits=9",
      "otpauth://totp/a?secret=GEZDGNBV&digits=5", "otpauth://totp/a?secret=GEZDGNBV&digits=+6",
      "otpauth://totp/a?secret=GEZDGNBV&period=0", "otpauth://totp/a?secret=GEZDGNBV&period=86401",
      "otpauth://totp/a?secret=GEZDGNBV&algorithm=MD5", "otpauth://totp/a?secret=GEZDGNBV&encoder=other",
      "otpauth://hotp/a?secret=GEZDGNBV", "otpauth://hotp/a?secret=GEZDGNBV&counter=18446744073709551616",
      "otpauth://hotp/a?secret=GEZDGNBV&counter=-1", "otpauth://other/a?secret=GEZDGNBV",
      "otpauth://totp/a?secret=GEZD%GNBV", "otpauth-migration://offline?data=CjEKCkhlbGxv",
      "https://h.example",
    ]) func unusable(url: String)
  { expect(code(url) == nil && normal(url) == nil) }

  @Test("what people paste becomes a URL")
  func pasted() {
    expect(normal(" gezd gnbv gy3t qojq\n"), is: "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ")
    expect(normal("otpauth://totp/a?secret=gezd"), is: "otpauth://totp/a?secret=gezd")
    expect(
      normal("key=GEZDGNBVGY3TQOJQ&size=8&step=60"),
      is: "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ&digits=8&period=60")
    // Too short for a key, and hardly one: a word.
    expect(normal("password") == nil && normal("GEZDGNBV") == nil && normal("secret code!") == nil)
  }

  @Test("a counter moves on by one, and nothing else does")
  func afterUse() {
    func next(_ url: String) -> String? {
      guard case .some(let next) = Secret(url).withUnsafeBytes({ OneTimeCodeURL.afterUse($0) }) else {
        return nil
      }
      return next.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    expect(
      next("otpauth://hotp/a?secret=GEZDGNBV&Counter=9&issuer=%26"),
      is: "otpauth://hotp/a?secret=GEZDGNBV&counter=10&issuer=%26")
    expect(next("otpauth://hotp/a?secret=GEZDGNBV&counter=18446744073709551615"), is: nil)
    expect(next("otpauth://totp/a?secret=GEZDGNBV&counter=9"), is: nil)
  }

  @Test("whatever is given, a URL that is made of it stays the same, and gives codes")
  func mutated() {
    var generator = SeededGenerator(seed: 44)
    let pieces = [
      "otpauth://", "totp/", "hotp/", "a", "?", "&", "=", "secret=", "GEZDGNBVGY3TQOJQ", "counter=",
      "digits=", "6", "8",
      "period=", "30", "0", "encoder=steam", "algorithm=SHA512", "%", "%41", " ", "-", "\0", "é", "steam://",
      "key=", "size=",
    ]
    var usable = 0
    for _ in 0..<rounds(20_000) {
      var text = generator.next() % 2 == 0 ? "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ" : ""
      for _ in 0..<Int(generator.next() % 12) { text += pieces[Int(generator.next() % UInt64(pieces.count))] }
      guard let url = normal(text) else { continue }
      usable += 1
      expect(normal(url), is: url)
      let length = code(url, at: 0)?.utf8.count ?? 0
      expect((5...8).contains(length))
    }
    expect(usable > rounds(500))
  }
}
