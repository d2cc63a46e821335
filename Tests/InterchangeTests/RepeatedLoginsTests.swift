import Bytes
import Expectations
import Interchange
import Keychain
import Testing

/// Two entries for one login, with the same password, of which each has something that the other lacks.
@Suite("two entries for one login")
struct RepeatedLoginsTests {
  private func united(_ file: String, _ format: FileFormat) throws -> [FoundLogin] {
    let logins = try FoundLogins(Array(file.utf8), as: format).logins
    FoundLogin.unite(logins)
    return logins
  }

  private func bitwarden(_ entries: String...) -> String {
    #"{"encrypted":false,"items":["#
      + entries.map {
        #"{"type":1,"login":{"username":"ana","password":"pw","uris":[{"uri":"https://a.example"}]"# + $0
      }
      .joined(separator: ",") + "]}"
  }

  private func code(_ login: FoundLogin) -> String? {
    switch login.credential.further.oneTimeCode {
    case .none: nil
    case .some(let code): code.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  private func hidden(_ login: FoundLogin) -> [String] {
    var fields: [String] = []
    login.credential.further.forEachField { fields.append("\($0)=\(String(decoding: $1, as: UTF8.self))") }
    return fields
  }

  private func shown(_ login: FoundLogin) -> [String] {
    login.item.fields.map { "\($0.name)=\($0.value)" }
  }

  @Test("of three, each is what all of them have")
  func three() throws {
    let logins = try united(
      "name,url,username,password,note\n"
        + ["b", "c", "d"].map { "\($0),https://w.example/\($0),u@example.com,two,note \($0)\n" }.joined(),
      .chrome)
    expect(logins.map(\.item.comment), is: Array(repeating: "note b\n\nnote c\n\nnote d", count: 3))
    expect(logins.allSatisfy { shown($0) == shown(logins[0]) && $0.leftBehind.isEmpty })
  }

  @Test("the code, the notes and the fields come, whichever of the two has them", arguments: [false, true])
  func oneHasAll(isSecond: Bool) throws {
    let rich =
      #","totp":"GEZDGNBVGY3TQOJQ"},"name":"A","notes":"why","creationDate":"2020-01-01T00:00:00Z","#
      + #""fields":[{"name":"PIN","value":"12","type":1},{"name":"Door","value":"back","type":0}]}"#
    let plain = "}}"
    let logins = try united(isSecond ? bitwarden(plain, rich) : bitwarden(rich, plain), .bitwarden)
    expect(logins.count, is: 2)
    let first = logins[0]
    expect(code(first), is: "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ")
    expect(first.item.label == "A" && first.item.comment == "why")
    expect(first.item.creationDate, is: Timestamp(seconds: 1_577_836_800))
    expect(hidden(first) == ["PIN=12"] && shown(first) == ["Door=back"])
    expect(logins.allSatisfy { $0.leftBehind.isEmpty && $0.contradictions.isEmpty })
    // The other is the same, so that it can go once that is there.
    expect(logins[1].item == first.item && first.credential.isSame(as: logins[1].credential))
  }

  @Test("what both say otherwise is kept beside it, and is named")
  func contradictions() throws {
    func entry(_ number: Int) -> String {
      #","totp":"GEZDGNBVGY3TQOJ\#(number)"},"name":"A\#(number)","notes":"n\#(number)","#
        + #""fields":[{"name":"PIN","value":"\#(number)","type":1},{"name":"Door","value":"\#(number)","type":0}]}"#
    }
    let logins = try united(bitwarden(entry(2), entry(3), entry(2), entry(3)), .bitwarden)
    let first = logins[0]
    expect(code(first), is: "otpauth://totp/?secret=GEZDGNBVGY3TQOJ2")
    expect(
      hidden(first), is: ["PIN=2", "PIN 2=3", "one-time code=otpauth://totp/?secret=GEZDGNBVGY3TQOJ3"])
    expect(first.item.label == "A2" && shown(first) == ["Door=2", "name=A3", "Door 2=3"])
    expect(first.item.comment, is: "n2\n\nn3")
    expect(logins.map(\.contradictions), is: [[], ["name", "Door", "PIN", "one-time code"], [], []])
  }

  @Test("another password is another login, and so is another account")
  func others() throws {
    let file = "name,url,username,password,note\n,https://a.example,ana,1,x\n,https://a.example,bob,1,y\n"
    try expect(united(file, .chrome).map(\.item.comment), is: ["x", "y"])
    let other = "machine a.example login ana password 1\nmachine b.example login ana password 1\n"
    try expect(united(other, .netrc).count, is: 2)
  }

  @Test("where there is no room for both, the second is said to stay")
  func noRoom() throws {
    let long = String(repeating: "x", count: 40_000)
    let rows = ["a", "b"].map { "t,https://a.example,ana,1,\($0)\(long)\n" }.joined()
    let logins = try united("name,url,username,password,note\n" + rows, .chrome)
    expect(logins.map(\.leftBehind), is: [[], ["what it has beside the password"]])
    expect(logins[0].item.comment?.bytes.count, is: 40_001)
  }
}
