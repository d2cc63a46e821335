import Bytes
import Expectations
import OpenBao
import Testing

struct ServiceAccountTests {
  private static let head = #"{"alg":"RS256","kid":"one"}"#

  /// A token as Kubernetes writes it, with a signature that nobody looks at here.
  private func token(_ claims: String, signature: String = "c2ln") -> String {
    func part(_ text: String) -> String {
      let encoded = Array(text.utf8).withUnsafeBytes { Base64.encode($0) }
      return String(encoded.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
    return part(Self.head) + "." + part(claims) + "." + signature
  }

  private func claims(
    audience: String = #"["bao"]"#, issuer: String = "https://k.example", subject: String = "team:app",
    identifier: String = "6f1c", ends: Int = 1000, number: String = "1"
  ) -> String {
    #"{"aud":\#(audience),"exp":\#(ends),"iss":"\#(issuer)","jti":"\#(number)","kubernetes.io":{"namespace":"team","#
      + #""pod":{"name":"a","uid":"\#(ends)"},"serviceaccount":{"name":"app","uid":"\#(identifier)"}},"#
      + #""sub":"system:serviceaccount:\#(subject)"}"#
  }

  private func bearer(_ token: String) -> String { shown(ServiceAccount.bearer(of: Secret(token))) }

  @Test("each token of an account is the same one's, whatever else is in it")
  func renewed() {
    let first = bearer(token(claims()))
    expect(first, is: bearer(token(claims(ends: 2000), signature: "b3RoZXI")))
    expect(first.utf8.count < token(claims()).utf8.count)
    // Base64 for URLs has other characters than the usual one.
    let odd = token(claims(number: "~~~???"))
    expect(odd.contains("_") && odd.contains("-"))
    expect(first, is: bearer(odd))
  }

  @Test("another account, one that was made anew, another issuer and other audiences are others")
  func others() {
    let all = [
      claims(), claims(subject: "team:other"), claims(identifier: "84d0"),
      claims(issuer: "https://l.example"),
      claims(audience: #"["vault"]"#),
    ]
    expect(Set(all.map { bearer(token($0)) }).count, is: all.count)
    // The older tokens, which don't end.
    let older = ["6f1c", "84d0"].map {
      token(
        #"{"kubernetes.io/serviceaccount/service-account.uid":"\#($0)","sub":"system:serviceaccount:a:b"}"#)
    }
    expect(bearer(older[0]) != bearer(older[1]))
    expect(bearer(older[0]), is: bearer(older[0] + "x"))
  }

  @Test("what is no such token stands for itself")
  func foreign() {
    let texts = [
      "", "a", "..", "a.b", "a.b.c", "a..c", "a.b.c.d", token("{}"), token("[]"), token("{"),
      token(#"{"sub":1}"#),
      token(#"{"iss":"x","aud":"y"}"#), token(#"{"sub":"x","kubernetes.io":{"serviceaccount"}}"#),
    ]
    for text in texts { expect(bearer(text), is: text) }
  }
}
