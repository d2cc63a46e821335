import Expectations
import Keychain
import TestSupport
import Testing

@Suite("a credential") struct CredentialTests {
  @Test("an expiry is over in the second that it names")
  func expiry() {
    func isExpired(_ expiry: Int64?, _ milliseconds: Int64) -> Bool {
      Credential.text("x", expiry: expiry).isExpired(at: Timestamp(milliseconds: milliseconds))
    }
    expect(!isExpired(100, 99_999))
    expect(isExpired(100, 100_000))
    expect(!isExpired(nil, .max))
  }

  @Test("refresh tokens are the same when both are equal or absent")
  func tokens() {
    func same(_ left: String?, _ right: String?) -> Bool {
      Credential.text("x", refreshToken: left).hasSameRefreshToken(
        as: Credential.text("y", refreshToken: right))
    }
    expect(same(nil, nil) && same("", "") && same("r", "r"))
    expect(!same(nil, "") && !same("", nil) && !same("r", "") && !same("r", "s"))
    let has = [nil, "", "r"].map { Credential.text("x", refreshToken: $0).hasRefreshToken }
    expect(has, is: [false, true, true])
  }

  @Test("a credential has the same secret as another of the same scheme, whatever else it has")
  func sameSecret() {
    func same(_ left: RevealedCredential, _ right: RevealedCredential) -> Bool {
      left.credential().hasSameSecret(as: right.credential())
    }
    expect(same(RevealedCredential("x", expiry: 1), RevealedCredential("x", refreshToken: "r")))
    expect(!same(RevealedCredential("x"), RevealedCredential("y")))
    expect(!same(RevealedCredential("x"), RevealedCredential("x", scheme: "Bearer")))
    expect(!same(RevealedCredential("x", scheme: "Basic"), RevealedCredential("x", scheme: "Bearer")))
  }
}
