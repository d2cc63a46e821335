import Bytes
import Keychain
import SignIn

struct OIDCLogin {
  let nodes: ServerNodes
  let mount: String
  /// The role; `nil` for the server's default.
  let role: ByteString?
  let port: UInt16

  private var server: OpenBaoServer { nodes.server }

  /// Logs in: the server names a page, and gets the values that the browser brings back. Returns the reply to the
  /// login.
  func reply() throws(KeychainError) -> ServerReply {
    guard let browser = nodes.transport as? any BrowserVisiting else { throw server.error(.noNetworkProgram) }
    let redirect = "http://localhost:\(port)/oidc/callback"
    let nonce = RandomText.unreserved(byteCount: 20)
    var json = JSONWriter()
    json.beginObject()
    json.member("role", role)
    json.member("redirect_uri", ByteString(redirect))
    json.member("client_nonce", nonce)
    json.endObject()
    let answer = try nodes.exchange(
      ServerRequest(method: .post, path: "auth/\(mount)/oidc/auth_url", mayTakeLong: true), json.finish(),
      nil,
      isRepeatable: true)
    let visit = try self.visit(answer, to: "auth/\(mount)", backTo: redirect)
    let came: BrowserReturn
    do throws(TransportFault) {
      came = try browser.visit(visit)
    } catch {
      throw server.error(.noNetworkProgram)
    }
    switch consume came {
    case .code(let code):
      var query = FormBody()
      query.append("state", visit.state)
      query.append("client_nonce", nonce)
      query.append("code", code)
      let text = query.finish().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      return try nodes.exchange(
        ServerRequest(method: .get, path: "auth/\(mount)/oidc/callback", query: text, mayTakeLong: true), nil,
        nil)
    case .refused(let words): throw .unavailable(reason: "the service refused the login: \(words)")
    case .portInUse:
      throw .unavailable(
        reason:
          "another program uses port \(port), where the browser's answer arrives; wait for it, or choose another 'callback-port'"
      )
    case .tooLate: throw .promptDismissed
    }
  }

  /// The page named by a server for a login.
  private func visit(
    _ reply: borrowing ServerReply, to path: String, backTo redirect: String
  ) throws(KeychainError) -> BrowserVisit {
    if reply.status == 404, reply.complaint() == .noRoute { throw server.error(.noMount(path)) }
    guard reply.status == 200 else { throw server.error(.loginRefused(method: "oidc")) }
    var text = ""
    try server.data(of: reply) { (name, value) throws(JSONReader.Malformed) in
      if name == "auth_url" { text = "\(try value.string())" }
    }
    // Empty if the role doesn't allow the address of the return.
    if text.isEmpty { throw server.error(.loginRefused(method: "oidc")) }
    guard let page = EndpointURL(ofAnyLength: text), text.utf8.count <= 16_384 else {
      throw server.notUnderstood(reply)
    }
    var state = Secret()
    let query = Secret(page.query)
    try? query.withUnsafeBytes { (query) throws(FormReader.Malformed) in
      try FormReader.parameters(of: query) { (name, value) throws(FormReader.Malformed) in
        if name == "state" { state = value }
      }
    }
    if state.isEmpty { throw server.notUnderstood(reply) }
    return BrowserVisit(page, backTo: redirect, for: server.name, state: state.copy())
  }
}
