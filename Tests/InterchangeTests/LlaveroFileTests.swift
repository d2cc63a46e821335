import Expectations
import Interchange
import Keychain
import Testing

@Suite("llavero's own lines")
struct LlaveroFileTests {
  @Test("nothing of an item is lost on the way out and in")
  func roundTrip() throws {
    var item = Item(
      .internetPassword(
        InternetPassword(
          protocol: "https", server: "h", port: 8443, account: "a\u{e9}", path: "p", securityDomain: "docker",
          authenticationType: "x")), label: "l", comment: "c\n", itemDescription: "d", creator: "k",
      type: "t",
      isDefault: true)
    item.key = .internetPassword(
      InternetPassword(protocol: "https", server: "h", port: 8443, account: ByteString([0xff]), path: "p"))
    item.creationDate = Timestamp(milliseconds: 1)
    item.modificationDate = Timestamp(milliseconds: 2)
    let credential = Credential(
      Secret(copying: ByteString([0, 0xff])), expiry: 7, refreshToken: .some(Secret("r")),
      authenticationScheme: "Bearer")
    var text = Secret()
    expect(ExportFormat.jsonLines.append(item, credential, to: &text), is: .written(without: []))
    let found = try text.withUnsafeBytes { try FileFormat.llavero.read($0) }
    let login = try #require(found.logins.first)
    expect(login.item, is: item)
    let isSame =
      login.credential.hasSameSecret(as: credential)
      && login.credential.hasSameRefreshToken(as: credential)
    expect(isSame)
    expect(login.credential.expiry, is: 7)
  }

  @Test("a line that is no item is named; a file of such lines is not a file of llavero")
  func malformed() throws {
    let good = #"{"class":"generic","service":"s","secret":"p"}"# + "\n"
    try expect(
      Found(good + "{}\n" + #"{"class":"generic","service":"s"}"# + "\n[]\n", as: .llavero).reasons,
      is: [
        "2 malformed", "3 malformed", "4 malformed",
      ])
    #expect(throws: FormatFault("it has no line of an item", line: 2)) { try Found("\nx\n", as: .llavero) }
    try expect(Found("", as: .llavero).logins.isEmpty)
  }

  @Test("a line that ends too early is told apart, and what nobody knows stays")
  func cutOff() throws {
    let good = #"{"class":"generic","service":"s","secret":"p"}"# + "\n"
    try expect(Found(good + #"{"class":"generic","serv"#, as: .llavero).reasons, is: ["2 cutOff"])
    try expect(
      Found(#"{"class":"generic","service":"s","secret":"p","new":1,"notes":"x"}"#, as: .llavero).logins,
      is: [
        "s p + new + notes"
      ])
  }

  @Test("without its items a file has only what was none")
  func remainder() throws {
    let good = #"{"class":"generic","service":"s","secret":"p"}"#
    try expect(
      InterchangeTests.remainder(of: "{\"app\":\"llavero\"}\n\(good)\n\(good)", as: .llavero),
      is: "{\"app\":\"llavero\"}\n")
  }
}
