import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

extension SecretBody.Form: CaseIterable {
  static var allCases: [SecretBody.Form] { [.firstLine, .knownLines, .whole] }
}

/// A stored form and its meaning.
struct BodyRow: Sendable, CustomTestStringConvertible {
  let what: String
  let form: SecretBody.Form
  let body: String
  let credential: RevealedCredential
  var testDescription: String { "\(what), read as \(form)" }

  init(_ what: String, _ form: SecretBody.Form, _ body: String, _ credential: RevealedCredential) {
    self.what = what
    self.form = form
    self.body = body
    self.credential = credential
  }

  /// Forms that this program writes, and reads back.
  static let written = rows([
    ("a password", [.firstLine, .knownLines, .whole], "s3cret", "s3cret"),
    ("nothing", [.firstLine, .knownLines, .whole], "", "''"),
    (
      "git's lines", [.firstLine, .knownLines],
      "s3cret\npassword_expiry_utc=1800000000\noauth_refresh_token=t0ken", "s3cret~1800000000+t0ken"
    ),
    ("an expiry alone", [.knownLines], "s3cret\npassword_expiry_utc=5", "s3cret~5"),
    ("a token alone", [.firstLine], "s3cret\noauth_refresh_token=t0ken", "s3cret+t0ken"),
    ("an empty password that expires", [.firstLine], "\npassword_expiry_utc=5", "''~5"),
    ("a ready-made credential", [.firstLine], "\nauthtype=Bearer\ncredential=s3cret", "s3cret^Bearer"),
    (
      "a ready-made credential that expires", [.knownLines],
      "\npassword_expiry_utc=5\nauthtype=Bearer\ncredential=s3cret", "s3cret~5^Bearer"
    ),
    ("several lines", [.firstLine, .knownLines], "a\nb\nsecret_bytes=3", "a\nb"),
    ("several lines", [.whole], "a\nb", "a\nb"),
    ("a key file", [.whole], "-----BEGIN\nkey\n-----END\n", "-----BEGIN\nkey\n-----END\n"),
    ("several lines that expire", [.whole], "a\nb\npassword_expiry_utc=5\nsecret_bytes=3", "a\nb~5"),
    (
      "a token of several lines", [.firstLine], "s3cret\noauth_refresh_token_b64=YQpi\nsecret_bytes=6",
      "s3cret+a\nb"
    ),
    ("a secret that looks like ours", [.whole], "a\nsecret_bytes=1\nsecret_bytes=16", "a\nsecret_bytes=1"),
    (
      "a secret that looks like git's lines", [.firstLine],
      "a\npassword_expiry_utc=5\nsecret_bytes=23", "a\npassword_expiry_utc=5"
    ),
  ])

  /// Forms that other programs write.
  static let foreign = rows([
    ("lines that nobody knows", [.firstLine], "s3cret\nfuture=1\npassword_expiry_utc=5\nmore", "s3cret~5"),
    (
      "lines that nobody knows", [.knownLines],
      "s3cret\nfuture=1\npassword_expiry_utc=5\nmore", "s3cret\nfuture=1\npassword_expiry_utc=5\nmore"
    ),
    (
      "a first line that looks like another", [.firstLine, .knownLines],
      "password_expiry_utc=5", "password_expiry_utc=5"
    ),
    ("an expiry that is none", [.firstLine], "s3cret\npassword_expiry_utc=soon", "s3cret"),
    (
      "an expiry that is none", [.knownLines], "s3cret\npassword_expiry_utc=soon",
      "s3cret\npassword_expiry_utc=soon"
    ),
    (
      "an expiry beyond all numbers", [.firstLine], "s3cret\npassword_expiry_utc=99999999999999999999",
      "s3cret"
    ),
    ("a line end behind it", [.firstLine, .knownLines], "s3cret\n", "s3cret"),
    ("a line end behind it", [.whole], "s3cret\n", "s3cret\n"),
    ("a line end alone", [.firstLine, .knownLines], "\n", "''"),
    ("several lines", [.knownLines], "a\nb\npassword_expiry_utc=5", "a\nb~5"),
    ("several lines", [.whole], "a\nb\npassword_expiry_utc=5", "a\nb\npassword_expiry_utc=5"),
    ("a length beyond the end", [.whole], "a\nsecret_bytes=99", "a\nsecret_bytes=99"),
    ("a length within a line", [.whole], "abc\nsecret_bytes=1", "abc\nsecret_bytes=1"),
    (
      "a length within a line, whose rest looks like another", [.whole],
      "abXpassword_expiry_utc=5\nsecret_bytes=2", "abXpassword_expiry_utc=5\nsecret_bytes=2"
    ),
    ("a length that is negative", [.whole], "a\nsecret_bytes=-1", "a\nsecret_bytes=-1"),
    (
      "a length before lines that nobody knows", [.whole], "a\nfuture=1\nsecret_bytes=1",
      "a\nfuture=1\nsecret_bytes=1"
    ),
    ("a ready-made credential without its scheme", [.firstLine], "s3cret\ncredential=other", "s3cret"),
    ("a token whose base64 is none", [.firstLine], "s3cret\noauth_refresh_token_b64=?", "s3cret"),
    (
      "a line twice, of which git's helper takes the last", [.firstLine],
      "s3cret\npassword_expiry_utc=5\npassword_expiry_utc=6", "s3cret~6"
    ),
  ])

  private static func rows(_ rows: [(String, [SecretBody.Form], String, String)]) -> [BodyRow] {
    rows.flatMap { what, forms, body, credential in
      forms.map { BodyRow(what, $0, body, RevealedCredential(spelled: credential)) }
    }
  }
}

@Suite("a secret's stored form") struct SecretBodyTests {
  private static func credential(_ row: RevealedCredential) -> Credential {
    .bytes(
      row.secret.bytes, expiry: row.expiry, refreshToken: row.refreshToken?.bytes, scheme: row.scheme)
  }

  @Test("these are the very bytes that are written, and they are read again", arguments: BodyRow.written)
  func written(row: BodyRow) {
    let body = SecretBody.encode(Self.credential(row.credential), as: row.form)
    expect(ByteString(body.revealed), is: ByteString(row.body))
    expect(SecretBody.decode(body, as: row.form).revealed, is: row.credential)
  }

  @Test("what others wrote is read", arguments: BodyRow.foreign)
  func foreign(row: BodyRow) {
    expect(SecretBody.decode(Secret(row.body), as: row.form).revealed, is: row.credential)
  }

  @Test(
    "the kind of item says how its lines are read",
    arguments: [
      (["xdg:schema": "org.git.Password", "protocol": "https", "server": "x"], .firstLine),
      (["xdg:schema": "org.git.Password"], .firstLine),
      (["xdg:schema": "org.gnome.keyring.NetworkPassword", "protocol": "https", "server": "x"], .knownLines),
      (["protocol": "https", "server": "x"], .knownLines),
      (["docker_cli": "1", "server": "https://ghcr.io"], .knownLines),
      (["xdg:schema": "org.freedesktop.Secret.Generic", "service": "x"], .whole), ([:], .whole),
    ] as [([String: String], SecretBody.Form)])
  func forms(attributes: [String: String], form: SecretBody.Form) {
    expect(SecretBody.Form(of: attributes), is: form)
  }

  private static let words: [[UInt8]] = [
    "\n", "\n", "\r", "password_expiry_utc=", "\npassword_expiry_utc=7", "oauth_refresh_token=",
    "\noauth_refresh_token=t", "oauth_refresh_token_b64=", "\noauth_refresh_token_b64=YQ==",
    "\nauthtype=Bearer", "\ncredential=c", "\nsecret_bytes=", "\nsecret_bytes=0", "\nsecret_bytes=1",
    "\nsecret_bytes=9", "secret_bytes=22", "a", "=", "-", "+", "0",
  ].map { Array($0.utf8) }

  private static func bytes(_ numbers: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<numbers.number(in: 0..<6) {
      bytes += numbers.number(in: 0..<5) == 0 ? numbers.bytes(numbers.number(in: 1..<4)) : numbers.pick(words)
    }
    return bytes
  }

  @Test("every credential is read as it was written, in each form", arguments: SecretBody.Form.allCases)
  func roundTrip(form: SecretBody.Form) {
    var numbers = SeededGenerator(seed: 1)
    for _ in 0..<(isLongForm ? 6000 : 600) {
      let scheme = ByteString(Self.bytes(&numbers).filter { ![0, 10, 13].contains($0) })
      let credential = Credential.bytes(
        Self.bytes(&numbers), expiry: numbers.pick([nil, nil, 0, 5, .max, .min]),
        refreshToken: numbers.number(in: 0..<2) == 0 ? nil : Self.bytes(&numbers),
        scheme: numbers.number(in: 0..<3) == 0 ? scheme : nil)
      let body = SecretBody.encode(credential, as: form)
      expect(SecretBody.decode(body, as: form).revealed, is: credential.revealed)
      // What isn't text is what gnome-keyring writes in hexadecimal.
      let bytes = SecretBody.encode(credential, as: form, isText: false)
      expect(SecretBody.decode(bytes, as: form).revealed, is: credential.revealed)
      let isFragile = bytes.withUnsafeBytes(SecretBody.isFragile)
      expect(!isFragile)
    }
  }

  @Test("any bytes are read as some credential, which is then kept as it is", arguments: 0..<3)
  func fuzz(seed: Int) {
    var numbers = SeededGenerator(seed: UInt64(seed + 2))
    for _ in 0..<(isLongForm ? 6000 : 600) {
      let bytes = numbers.mutated(Self.bytes(&numbers), dictionary: Self.words)
      for form in SecretBody.Form.allCases {
        // Exactly as long as its memory, so that a memory checker notices a read beyond the end.
        let read = SecretBody.decode(Secret(copying: ByteString(bytes)), as: form)
        let again = SecretBody.decode(SecretBody.encode(read, as: form), as: form)
        expect(again.revealed, is: read.revealed)
      }
    }
  }

  private static func isFragile(_ text: String) -> Bool {
    let secret = Secret(text)
    return secret.withUnsafeBytes(SecretBody.isFragile)
  }

  @Test(
    "what gnome-keyring's text would damage is known",
    arguments: ["a\nb", "a\tb", "a\\b", " a", "a ", "a\r", "\u{1}", "\u{7f}"])
  func fragile(text: String) {
    expect(Self.isFragile(text))
    expect(!Self.isFragile("a b=[c];#é"))
  }

  @Test("git's helper reads the password as it is, whatever else is kept")
  func readByGit() {
    var numbers = SeededGenerator(seed: 9)
    for _ in 0..<rounds(2000) {
      let secret = Self.bytes(&numbers).filter { $0 != 10 }
      let token = Self.bytes(&numbers)
      let body = SecretBody.encode(
        .bytes(secret, expiry: 5, refreshToken: token), as: .firstLine, isText: numbers.number(in: 0..<2) == 0
      ).revealed
      let lines = body.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
      expect(lines[0], is: secret)
      expect(lines.dropFirst().contains(Array("password_expiry_utc=5".utf8)))
      let tokenLine = Array("oauth_refresh_token=".utf8) + token
      expect(lines.dropFirst().contains(tokenLine), is: !token.contains(10))
    }
  }
}
