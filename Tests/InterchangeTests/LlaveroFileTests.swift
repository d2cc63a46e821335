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
}
