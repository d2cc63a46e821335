import Bytes
import Glibc
import Keychain
import SignIn

extension OpenBaoSession {
  /// The limits of waiting, in milliseconds.
  package struct Patience: Sendable {
    /// How long changes, and reads for changes, are tried.
    package var changes = 20_000
    /// How long a change is repeated because others have changed the same items meanwhile.
    package var contests = 60_000
    /// How long reads are tried if there are several nodes, and one of them answers at all.
    package var reads = 5000
    /// How long to wait for a server that limits requests.
    package var limited = 10_000
    /// How long a read waits for a node to catch up with an earlier write.
    package var staleness = 2000

    package init() {}
  }
}

/// Requests to one server, over any of its nodes.
///
/// A node that can't be reached or fails is passed over. A redirect is followed once, and only to an address of the
/// keychain's own, because the token goes with it. Reads give up after a second round. Changes are tried for the length
/// of an election; the caller must check afterwards whether an earlier try has arrived.
final class ServerNodes {
  let server: OpenBaoServer
  private let makeTransport: () -> (any Transport)?
  private(set) lazy var transport = makeTransport()
  private let store: any ServerMemoryStore
  let patience: OpenBaoSession.Patience
  private let clock: () -> Timestamp
  private let wait: (_ milliseconds: Int) -> Void
  private var silence: ServerSilence

  private(set) lazy var memory: ServerMemory = store.memory()
  /// Whether items are being read in order to change them, which waits for an election.
  var isChanging = false
  /// Whether to wait for a slow answer as long as the set-up allows, even if the server was silent a moment ago.
  var isPatient = false
  private var preferred = 0

  init(
    of server: OpenBaoServer, over transport: @escaping () -> (any Transport)?,
    memory store: any ServerMemoryStore,
    isInsistent: Bool, patience: OpenBaoSession.Patience, clock: @escaping () -> Timestamp,
    wait: @escaping (_ milliseconds: Int) -> Void
  ) {
    self.server = server
    makeTransport = transport
    self.store = store
    self.patience = patience
    silence = ServerSilence(isInsistent: isInsistent)
    self.clock = clock
    self.wait = wait
  }

  func note(_ change: (inout ServerMemory) -> Void) {
    var changed = memory
    change(&changed)
    if changed == memory { return }
    memory = changed
    store.keep(changed)
  }

  /// Sends a request to one node after the other, until one answers.
  ///
  /// - Parameters:
  ///   - header: proves the login; `nil` for none.
  ///   - isRepeatable: whether it may arrive twice, although it is a POST.
  /// - Returns: a reply with a status below 500 that doesn't tell the client to wait or to go elsewhere.
  func exchange(
    _ request: ServerRequest, _ body: borrowing Secret?, _ header: borrowing Secret?,
    isRepeatable: Bool = false
  ) throws(KeychainError) -> ServerReply {
    if !isPatient, let seconds = silence.seconds(since: memory.silent, at: clock()) {
      throw server.error(.silent(seconds: seconds))
    }
    let isChange = isChanging || request.isChange && !isRepeatable
    let hasAnswered = silence.isBroken
    let start = SystemClock.awake
    var last = OpenBaoFault.Reason.noActiveNode
    var round = 0
    while true {
      var isAnyThere = false
      var isSlow = false
      var useless = 0
      for offset in 0..<server.addresses.count {
        let number = (preferred + offset) % server.addresses.count
        switch try ask(request, body, header, server.addresses[number], from: start) {
        case .reply(let reply):
          preferred = number
          return reply
        case .fault(let fault, let isThere):
          last = fault
          isAnyThere = isAnyThere || isThere
          switch fault {
          case .sealed, .uninitialised, .notUnderstood: useless += 1
          default: break
          }
          if case .noAnswer = fault { isSlow = true }
        }
      }
      round += 1
      // After waiting in vain, don't wait again, except to see whether a change has arrived.
      isSlow = isSlow || SystemClock.awake - start >= ServerSilence.noticeable
      if !isAnyThere, isSlow, !(isChange && hasAnswered && round == 1) {
        noteSilence()
        throw server.error(last)
      }
      // No server is unsealed within that time, and a copy may answer instead.
      if useless == server.addresses.count || request.isDispensable { throw server.error(last) }
      // If no node is there, none comes back within moments. If one is, the others may be electing.
      let limit =
        !isAnyThere ? 0 : isChange ? patience.changes : server.addresses.count > 1 ? patience.reads : 0
      if round >= 2, SystemClock.awake - start >= limit { throw server.error(last) }
      wait(min(50 << min(round, 4), 500) + .random(in: 0...50))
    }
  }

  /// Notes that nobody answered, for this session and the next ones.
  private func noteSilence() {
    silence.noteSilence()
    note { $0.silent = clock() }
  }

  private func noteAnswer() {
    silence.noteAnswer()
    note { $0.silent = nil }
  }

  private enum Answer: ~Copyable {
    case reply(ServerReply)
    /// The reason for no reply, and whether a node answered at all.
    case fault(OpenBaoFault.Reason, isThere: Bool)
  }

  /// Sends a request to one node.
  ///
  /// - Parameter start: when it was first tried.
  private func ask(
    _ request: ServerRequest, _ body: borrowing Secret?, _ header: borrowing Secret?, _ address: EndpointURL,
    from start: Int
  ) throws(KeychainError) -> Answer {
    guard let transport else { throw server.error(.noNetworkProgram) }
    var address = address
    var isRedirected = false
    let begin = SystemClock.awake
    while true {
      let reply: HTTPReply
      do throws(TransportFault) {
        reply = try transport.exchange(httpRequest(request, body, header, at: address))
      } catch {
        switch error {
        case .unreachable(let reason):
          return .fault(.unreachable(reason), isThere: isRedirected || !Self.isRefused(reason))
        case .proxyAuthentication:
          return .fault(.unreachable("the proxy demands a login"), isThere: false)
        case .unsafeConnection(let reason): throw server.error(.unsafeConnection(reason))
        case .tooLarge:
          throw server.error(.tooMuch(what: "bytes in an answer", limit: request.maximumReply))
        case .tooSlow(let milliseconds):
          return .fault(.noAnswer(milliseconds: milliseconds), isThere: isRedirected)
        case .cancelled: throw .promptDismissed
        }
      }
      noteAnswer()
      if let index = reply.index, Self.isIndex(index) { note { $0.index = index } }
      let answer = ServerReply(status: reply.status, body: reply.body.copy())
      let waited = SystemClock.awake - begin
      switch reply.status {
      case 301, 302, 303, 307, 308:
        guard !isRedirected else { return .fault(.noActiveNode, isThere: true) }
        address = try redirected(reply.location)
        isRedirected = true
      case 400 where answer.complaint() == .waitingForPrimary, 412,
        429 where reply.retryAfter == nil && answer.complaint() == .none:
        guard waited < patience.staleness else {
          return .fault(.noActiveNode, isThere: true)
        }
        wait(20)
      case 429:
        let pause = max(1, reply.retryAfter ?? 1) * 1000
        guard waited + pause <= patience.limited else {
          throw server.error(.rateLimited(seconds: waited / 1000))
        }
        wait(pause)
      case 413: throw .tooLarge(what: "the item", limit: ItemBounds.item)
      case 501: return .fault(.uninitialised, isThere: true)
      case 503:
        let isNew = answer.complaint() == .uninitialised || isUninitialised(address)
        return .fault(isNew ? .uninitialised : .sealed, isThere: true)
      case 500...:
        let complaint = answer.complaint()
        if case .tooLarge(let limit) = complaint {
          throw .tooLarge(what: "the item as the server stores it", limit: limit)
        }
        return .fault(
          complaint == .noActiveNode ? .noActiveNode : .failed(status: reply.status), isThere: true)
      default:
        guard answer.isOfServer() else {
          return .fault(.notUnderstood(status: reply.status), isThere: true)
        }
        return .reply(answer)
      }
    }
  }

  /// Whether a node that takes no requests was never initialised: a sealed one reports the same.
  private func isUninitialised(_ address: EndpointURL) -> Bool {
    guard let transport else { return false }
    var request = HTTPRequest(get: server.url("sys/health", at: address))
    request.headers = ["X-Vault-Request: true"]
    return (try? transport.exchange(request).status == 501) ?? false
  }

  private func httpRequest(
    _ request: ServerRequest, _ body: borrowing Secret?, _ header: borrowing Secret?, at address: EndpointURL
  ) -> HTTPRequest {
    var url = server.url(request.path, at: address)
    if let query = request.query { url = url.asking(query) }
    var made = body.lend { HTTPRequest(post: $0.copy(), to: url) } ?? HTTPRequest(request.method, url)
    made.mediaType = "application/json"
    made.maximumReply = request.maximumReply
    made.timeout =
      isPatient ? nil : silence.patience(isShort: !request.mayTakeLong, nodes: server.addresses.count)
    // A proxy can require it, against requests from pages in a browser.
    made.headers = ["X-Vault-Request: true"]
    if !server.namespace.isEmpty { made.headers.append("X-Vault-Namespace: \(server.namespace)") }
    if let index = memory.index {
      made.headers += ["X-Vault-Index: \(index)", "X-Vault-Inconsistent: forward-active-node"]
    }
    made.secretHeader = header.lend { $0.copy() }
    return made
  }

  /// The target of a redirect, if it is one of the keychain's own nodes.
  private func redirected(_ location: String?) throws(KeychainError) -> EndpointURL {
    guard let location, let url = EndpointURL(ofAnyLength: location) else {
      throw server.error(.redirected(to: location.map { String($0.prefix(200)) } ?? "nowhere"))
    }
    guard let listed = server.addresses.first(where: { $0.hasSameOrigin(as: url) }) else {
      throw server.error(.redirected(to: url.origin))
    }
    return listed
  }

  /// Whether the header's value can be sent back.
  private static func isIndex(_ text: String) -> Bool {
    1...1024 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7e ~= $0 }
  }

  /// Whether no connection was made.
  private static func isRefused(_ reason: String) -> Bool {
    reason.hasPart("connect") || reason.hasPart("resolve")
  }
}
