import Bytes
import CCurl
package import SignIn

/// Sends requests with libcurl: over TLS 1.2 or later, without following redirects, each with a deadline.
package final class CurlTransport: Transport {
  private let settings: (EndpointURL) -> HTTPSettings
  /// Cached by server address.
  private var known: [EndpointURL: HTTPSettings] = [:]
  private let timeout: Int
  private let connectTimeout: Int
  private let handle: UnsafeMutableRawPointer?
  private let proxyLogin: ProxyLogin?
  package private(set) var proxyDemand: ProxyDemand?

  /// - Parameters:
  ///   - timeout: the longest time of an exchange, in milliseconds.
  ///   - connectTimeout: the longest time until there is a connection, in milliseconds.
  ///   - settings: returns git's settings for a URL.
  package init(
    timeout: Int, connectTimeout: Int = 10_000, proxyLogin: consuming ProxyLogin? = nil,
    settings: @escaping (EndpointURL) -> HTTPSettings
  ) {
    self.timeout = timeout
    self.connectTimeout = connectTimeout
    self.proxyLogin = proxyLogin
    self.settings = settings
    handle = ccurl_load() ? ccurl_new() : nil
  }

  deinit {
    if let handle { ccurl_free(handle) }
  }

  /// Why nothing can be sent from here, whatever the server; worded to follow "because".
  package static var obstacle: String? {
    ccurl_load() ? nil : "libcurl can't be used: \(String(cString: ccurl_obstacle()))"
  }

  /// Unless git's settings have another.
  private static let userAgent = "llavero"

  package func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    var lists = CurlLists()
    let timeout = min(self.timeout, request.timeout ?? self.timeout)
    let handle = try prepare(for: request.url, timeout, &lists)
    let reply = ReplyBuffer(limit: request.maximumReply)
    set(handle, CURLOPT_MAXFILESIZE, request.maximumReply)
    lists.headers.append("Accept: application/json")
    if request.hasBody { lists.headers.append("Content-Type: \(request.mediaType)") }
    for header in request.headers { lists.headers.append(header) }
    // libcurl would wait for a server that doesn't know it.
    lists.headers.append("Expect:")
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(reply).toOpaque())
    ccurl_set_write(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
      guard let bytes, let user else { return 0 }
      let buffer = Unmanaged<ReplyBuffer>.fromOpaque(user).takeUnretainedValue()
      return buffer.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }
    let (code, message) = perform(handle) {
      request.lendingSecrets(to: handle, lists.headers.list) { ccurl_perform(handle) }
    }
    withExtendedLifetime(lists) {}
    if code != CURLE_OK { throw fault(code, reply, message, timeout, at: request.url) }
    return reply.finish(handle)
  }

  package func passProxy(to url: EndpointURL) throws(TransportFault) {
    guard url.scheme == "https", settings(of: url).proxyAddress != nil else { return }
    var lists = CurlLists()
    let handle = try prepare(for: url, timeout, &lists)
    set(handle, CURLOPT_CONNECT_ONLY, 1)
    let (code, message) = perform(handle) { ccurl_perform(handle) }
    withExtendedLifetime(lists) {}
    if code != CURLE_OK { throw fault(code, nil, message, timeout, at: url) }
  }

  private func settings(of url: EndpointURL) -> HTTPSettings {
    let settings = known[url] ?? self.settings(url)
    known[url] = settings
    return settings
  }

  /// The handle, ready to connect.
  private func prepare(
    for url: EndpointURL, _ timeout: Int, _ lists: inout CurlLists
  ) throws(TransportFault) -> UnsafeMutableRawPointer {
    guard let handle else { throw .unreachable(Self.obstacle ?? "libcurl can't be used") }
    // Connections are kept, options are not.
    ccurl_reset(handle)
    let settings = self.settings(of: url)
    set(handle, CURLOPT_URL, settings.serverName.map { url.naming($0) } ?? url.text)
    if settings.serverName != nil { lists.connections.append("::\(url.host):\(url.port)") }
    set(handle, CURLOPT_PROTOCOLS_STR, url.scheme)
    set(handle, CURLOPT_FOLLOWLOCATION, 0)
    set(handle, CURLOPT_NOSIGNAL, 1)
    set(handle, CURLOPT_TIMEOUT_MS, timeout)
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, min(timeout, connectTimeout))
    set(handle, CURLOPT_USERAGENT, settings.userAgent ?? Self.userAgent)
    apply(settings, to: handle, &lists)
    // Plain http never leaves this machine.
    if url.scheme == "http" { set(handle, CURLOPT_NOPROXY, "*") }
    return handle
  }

  /// Runs `body`, and returns its code with libcurl's message.
  private func perform(_ handle: UnsafeMutableRawPointer, _ body: () -> CURLcode) -> (CURLcode, String) {
    var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = message.withUnsafeMutableBufferPointer { message in
      ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, message.baseAddress)
      defer { ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
      return body()
    }
    return (
      code, String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    )
  }

  /// libcurl prefers a login in the proxy's address to others.
  private func logIn(to proxy: ProxyAddress, _ handle: UnsafeMutableRawPointer) {
    switch proxyLogin {
    case .some(let login) where login.proxy == proxy.url:
      set(handle, CURLOPT_PROXY, proxy.bare)
      Secret(copying: login.account).lendingText { ccurl_set_text(handle, CURLOPT_PROXYUSERNAME, $0) }
      login.password.lendingText { ccurl_set_text(handle, CURLOPT_PROXYPASSWORD, $0) }
    default: break
    }
  }

  /// The demand of a proxy that answers 407.
  private func demand(of proxy: ProxyAddress) -> ProxyDemand {
    switch proxyLogin {
    case .some(let login) where login.proxy == proxy.url:
      .anotherThanKept(proxy, account: "\(login.account)")
    default: proxy.hasPassword ? .anotherThanConfigured(proxy) : .login(proxy)
    }
  }

  private func apply(_ settings: HTTPSettings, to handle: UnsafeMutableRawPointer, _ lists: inout CurlLists) {
    let oldest = settings.oldestVersion == 13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
    set(handle, CURLOPT_SSLVERSION, oldest)
    if !settings.verifies {
      set(handle, CURLOPT_SSL_VERIFYPEER, 0)
      set(handle, CURLOPT_SSL_VERIFYHOST, 0)
    }
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_CAINFO, settings.authorities), (CURLOPT_CAPATH, settings.authoritiesFolder),
      (CURLOPT_SSLCERT, settings.certificate), (CURLOPT_SSLCERTTYPE, settings.certificateType),
      (CURLOPT_SSLKEY, settings.key), (CURLOPT_SSLKEYTYPE, settings.keyType),
      (CURLOPT_SSL_CIPHER_LIST, settings.ciphers), (CURLOPT_PINNEDPUBLICKEY, settings.pinnedKey),
      (CURLOPT_PROXY_CAINFO, settings.proxyAuthorities ?? settings.authorities),
      (CURLOPT_PROXY_SSLCERT, settings.proxyCertificate), (CURLOPT_PROXY_SSLKEY, settings.proxyKey),
      (CURLOPT_COOKIEFILE, settings.cookieFile), (CURLOPT_PROXY, settings.proxy),
    ]
    if settings.trustsGivenAuthoritiesAlone {
      // Debian's libcurl would trust the system's as well.
      ccurl_set_pointer(handle, CURLOPT_CAINFO, nil)
      ccurl_set_pointer(handle, CURLOPT_CAPATH, nil)
    }
    for (option, text) in texts { if let text { set(handle, option, text) } }
    if let proxy = settings.proxyAddress, !proxy.hasPassword { logIn(to: proxy, handle) }
    let method: UInt =
      switch settings.proxyAuthMethod?.lowercased() {
      case "basic": 1 << 0
      case "digest": 1 << 1
      case "negotiate": 1 << 2
      case "ntlm": 1 << 3
      // CURLAUTH_ANY: all but digest as IE does it.
      default: ~(1 << 4)
      }
    set(handle, CURLOPT_PROXYAUTH, Int(bitPattern: method))
    for address in settings.resolve { lists.addresses.append(address) }
    if let list = lists.connections.list { ccurl_set_pointer(handle, CURLOPT_CONNECT_TO, list) }
    if let list = lists.addresses.list { ccurl_set_pointer(handle, CURLOPT_RESOLVE, list) }
  }

  private func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: some BinaryInteger) {
    ccurl_set_number(handle, option, Int(value))
  }

  private func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String) {
    ccurl_set_text(handle, option, value)
  }

  private func isBroken(_ reason: String) -> Bool {
    reason.hasPart("Recv failure") || reason.hasPart("Send failure") || reason.hasPart("SSL_ERROR_SYSCALL")
      || reason.hasPart("unexpected eof")
  }

  private func fault(
    _ code: CURLcode, _ reply: ReplyBuffer?, _ message: String, _ timeout: Int, at url: EndpointURL
  ) -> TransportFault {
    if reply?.isTooLarge == true || code == CURLE_FILESIZE_EXCEEDED { return .tooLarge }
    // Some proxies answer 401 to a wrong login.
    if [401, 407].contains(ccurl_get_number(handle, CURLINFO_HTTP_CONNECTCODE)) {
      proxyDemand = settings(of: url).proxyAddress.map(demand)
      return .proxyAuthentication
    }
    // libcurl's own message may have the proxy's login in it.
    let isPlain = message.isEmpty || message.contains("@")
    let reason = isPlain ? String(cString: ccurl_message(code)) : message
    switch code {
    // A server that ends in the middle of a handshake says nothing about its certificate.
    case CURLE_SSL_CONNECT_ERROR where isBroken(reason): return .unreachable(reason)
    case CURLE_OPERATION_TIMEDOUT: return .tooSlow(milliseconds: timeout)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_CLIENTCERT,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
      return .unsafeConnection(reason)
    default: return .unreachable(reason)
    }
  }
}

extension HTTPRequest {
  fileprivate var hasBody: Bool { body != nil }

  /// Runs `body` while the handle has the request's headers, body and login, because libcurl copies neither headers
  /// nor body.
  fileprivate borrowing func lendingSecrets(
    to handle: UnsafeMutableRawPointer, _ headers: UnsafeMutablePointer<curl_slist>?,
    _ perform: () -> CURLcode
  ) -> CURLcode {
    switch secretHeader {
    case .none: return lendingLogin(to: handle, headers, perform)
    case .some(let header):
      // An element of our own, because the list's copies of texts aren't wiped.
      var text = header.copy()
      text.append(0 as UInt8)
      return text.withUnsafeMutableBytes { text in
        var first = curl_slist(
          data: text.start.assumingMemoryBound(to: CChar.self), next: headers)
        return withUnsafeMutablePointer(to: &first) { lendingLogin(to: handle, $0, perform) }
      }
    }
  }

  private borrowing func lendingLogin(
    to handle: UnsafeMutableRawPointer, _ headers: UnsafeMutablePointer<curl_slist>?,
    _ perform: () -> CURLcode
  ) -> CURLcode {
    ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
    defer { ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, nil) }
    switch method {
    case .get, .post: break
    case .delete, .list, .scan: ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
    }
    basicAuthorization.lend { pair in
      ccurl_set_number(handle, CURLOPT_HTTPAUTH, 1)
      pair.lendingText { ccurl_set_text(handle, CURLOPT_USERPWD, $0) }
    }
    bearerToken.lend { token in
      ccurl_set_number(handle, CURLOPT_HTTPAUTH, 1 << 6)
      token.lendingText { ccurl_set_text(handle, CURLOPT_XOAUTH2_BEARER, $0) }
    }
    let code = body.lend { text in
      text.withUnsafeBytes { bytes in
        ccurl_set_number(handle, CURLOPT_POST, 1)
        ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, bytes.count)
        ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.start))
        return perform()
      }
    }
    return code ?? perform()
  }
}

extension Secret {
  /// Lends the bytes as a C string.
  fileprivate borrowing func lendingText(_ body: (UnsafePointer<CChar>) -> CURLcode) {
    var text = copy()
    text.append(0 as UInt8)
    text.withUnsafeBytes { _ = body($0.start.assumingMemoryBound(to: CChar.self)) }
  }
}

private final class ReplyBuffer {
  private var body = Secret(capacity: 4096)
  private let limit: Int
  private(set) var isTooLarge = false

  /// - Parameter limit: the largest body, in bytes.
  init(limit: Int) { self.limit = limit }

  /// Returns whether there may be more.
  func take(_ part: UnsafeRawBufferPointer) -> Bool {
    if body.count + part.count > limit {
      isTooLarge = true
      return false
    }
    body.append(part)
    return true
  }

  func finish(_ handle: UnsafeMutableRawPointer) -> HTTPReply {
    let status = ccurl_get_number(handle, CURLINFO_RESPONSE_CODE)
    let type = ccurl_get_text(handle, CURLINFO_CONTENT_TYPE).map { String(cString: $0) } ?? ""
    let media = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    let retryAfter =
      ccurl_header(handle, "Retry-After") == nil ? nil : ccurl_get_offset(handle, CURLINFO_RETRY_AFTER)
    let date = ccurl_header(handle, "Date").map { ccurl_date($0) }
    let difference = date.flatMap { $0 < 0 ? nil : Int($0) - SystemClock.date / 1000 }
    var reply = HTTPReply(
      status: status, mediaType: media, retryAfter: retryAfter.map { Int(min(max($0, 0), 86_400)) },
      clockDifference: difference, body: body.copy())
    reply.location = ccurl_header(handle, "Location").map { String(cString: $0) }
    reply.index = ccurl_header(handle, "X-Vault-Index").map { String(cString: $0) }
    return reply
  }
}

/// Lists that libcurl reads during an exchange.
private struct CurlLists: ~Copyable {
  var headers = CurlList()
  var addresses = CurlList()
  var connections = CurlList()
}

private struct CurlList: ~Copyable {
  private(set) var list: UnsafeMutablePointer<curl_slist>?

  mutating func append(_ text: String) {
    if let longer = ccurl_append(list, text) { list = longer }
  }

  deinit { if let list { ccurl_free_list(list) } }
}
