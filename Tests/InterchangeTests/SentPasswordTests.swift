import Bytes
import Expectations
import Glibc
import Interchange
import Keychain
import TestSupport
import Testing

/// The keychain gets what the program itself would send, for files with passwords that programs read differently. A
/// login that isn't imported is not an error here, and one that the program rejects proves nothing.
@Suite("importing gives what the program itself would send")
struct SentPasswordTests {
  /// A kind of file, and a function that makes a file with one login from the text of its password.
  struct Kind: CustomTestStringConvertible {
    let name: String
    let format: FileFormat
    let count: Int
    /// The special parts of the text, besides letters.
    let pieces: [String]
    /// The parts that most of it is made of.
    var plain = ["a", "Bc", "1", "-", "x.y"]
    let file: @Sendable (_ text: String) -> String

    var testDescription: String { name }
  }

  static let kinds: [Kind] = [
    Kind(
      name: "netrc", format: .netrc, count: 120,
      pieces: [
        "\\", "\"", "#", " ", "\t", "'", "\\n", "\"a b\"", " # password y", "\r", "\u{b}", "é", "\n",
        " password z",
      ]
    ) { "machine 127.0.0.1 login alice password \($0)\n" },
    Kind(
      name: "git-credentials", format: .gitCredentials, count: 120,
      pieces: [
        "%", "%41", "%zz", "%0", ":", "@", "+", "\\", "\"", "#", "?", "/", " ", "\t", "%C3%A9", "é", "%25",
        "%00",
      ]
    ) { "https://alice:\($0)@h.example\n" },
    Kind(
      name: "pypirc", format: .pypirc, count: 300,
      pieces: [
        "%", "%(x)s", "=", ":", "#", ";", " ", "\t", "\"", "\\", "\n  c", "\n\n  c", "\n # c\n  c", "\r",
        "\u{a0}", "\u{1c}",
        "\u{2003}", "é", "\npassword = x", "\n[x]", " # c", " ; c", "\u{c}",
      ]
    ) { "[pypi]\nusername = __token__\npassword = \($0)\n" },
    Kind(
      name: "keyring", format: .keyring, count: 300,
      pieces: ["QUJD", "QQ==", "\n\tQUJD", "\n\n\tQUJD", " ", "=", "#", "\r", "-", "_"],
      plain: ["QUJD", "eHl6"]
    ) { "[s]\na = \n\t\($0)\n" },
    Kind(
      name: "cargo", format: .cargo, count: 300,
      pieces: [
        "\"", "'", "\\\"", "\\\\", "\\u00e9", "\\n", "\\x41", "\\e", "#", " # c", "\"\"\"", "'''", "\n",
        "\"\ntoken = \"x",
        "\u{1}", "é", "\\U0001F600",
      ]
    ) { "[registry]\ntoken = \"\($0)\"\n" },
    Kind(
      name: "docker", format: .docker, count: 300,
      pieces: [
        "YTpi", "YTo=", "AAAA", "YToAYgA=", "\"", "\",\"password\":\"x",
        "\",\"username\":\"x\",\"password\":\"y",
        "\",\"identitytoken\":\"t", "\\n", "\\u0059", ":", " ",
      ],
      plain: ["YTpi", "QUJD"]
    ) { #"{"auths":{"h.example":{"auth":"\#($0)"}}}"# },
    Kind(
      name: "docker", format: .docker, count: 100,
      pieces: ["\\u00e9", "\\\\", "\\\"", "é", ":", "\",\"auth\":\"YTpi"]
    ) { #"{"auths":{"h.example":{"username":"alice","password":"\#($0)"}}}"# },
    csv("chrome", .chrome, "name,url,username,password,note\r\nn,https://h.example,alice,", ",\r\n"),
    csv(
      "firefox", .firefox,
      "url,username,password,httpRealm,timeCreated,timePasswordChanged\nhttps://h.example,alice,",
      ",,,\n"),
    csv(
      "keepassxc", .keepassxc, "Group,Title,Username,Password,URL,Notes\nRoot,t,alice,",
      ",https://h.example,\n"),
    csv("1password", .onePassword, "Title,Url,Username,Password,Notes\nt,https://h.example,alice,", ",\n"),
    csv(
      "bitwarden", .bitwarden,
      "type,name,login_uri,login_username,login_password\r\nlogin,n,https://h.example,alice,", "\r\n"),
    Kind(
      name: "bitwarden.json", format: .bitwarden, count: 300,
      pieces: ["\\u00e9", "\\\\", "\\\"", "é", "\\/", "\\ud83d\\ude00", "\"", ",", "{", "\u{1}"]
    ) { #"{"items":[{"type":1,"name":"n","login":{"username":"alice","password":"\#($0)"}}]}"# },
  ]

  private static func csv(_ name: String, _ format: FileFormat, _ before: String, _ after: String) -> Kind {
    Kind(
      name: name, format: format, count: 200,
      pieces: [
        "\"", "\"\"", ",", "\r", "\n", "\r\n", " ", "\t", "'", "\\", "=", "é", ";", "\"a,b\"", "{", "}",
      ]
    ) { before + $0 + after }
  }

  @Test("with whatever text as a password", arguments: kinds)
  func texts(kind: Kind) throws {
    let folder = TemporaryFolder()
    var random = SeededGenerator(seed: 16)
    let texts = kind.pieces + (0..<rounds(kind.count)).map { _ in Self.text(of: kind, &random) }
    for (number, text) in texts.enumerated() { folder.write(Array(kind.file(text).utf8), to: "\(number)") }
    let script = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Samples/readings.py"
    try expect(
      TestProgram.run(["python3", script, kind.name, folder.path, "\(texts.count)"]), is: .exited(0))

    var compared = 0
    for (number, text) in texts.enumerated() {
      guard let found = try? Found(kind.file(text), as: kind.format) else { continue }
      let readings = try Self.readings(of: folder["\(number).read"])
      for login in found.secrets {
        for reading in readings {
          compared += 1
          expect(login, is: reading, "of \(kind.file(text).debugDescription)")
        }
      }
    }
    // Most texts are ordinary enough to be imported.
    expect(compared > texts.count / 4, "\(compared) of \(texts.count)")
  }

  private static func text(of kind: Kind, _ random: inout SeededGenerator) -> String {
    (0..<random.number(in: 1..<6)).map { _ in
      random.number(in: 0..<5) < 3 ? random.pick(kind.plain) : random.pick(kind.pieces)
    }.joined()
  }

  private static func readings(of path: String) throws -> [[UInt8]] {
    try contents(of: path).split(separator: 0x0a).map { line in
      let digits = Array(line)
      return stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
      }
    }
  }
}
