package import Bytes
import CLinux
package import Forwarding
import Glibc
import JSON
import Keychain
package import SSH

/// What the agent needs to know of the world around it.
package protocol ForwardingPolicy: AnyObject {
  /// The hosts with these keys, the nearest first, and what they may have now. `nil` if there are no rules that can be
  /// read.
  func permissions(of keys: [HostKey]) -> (hosts: [VerifiedHost], permissions: Permissions)?
  /// What whoever uses a socket may have now.
  func permissions(ofSocket name: ByteString) -> (hosts: [VerifiedHost], permissions: Permissions)?
  /// Called once for each request that has ended.
  func note(_ request: LoggedRequest)
}

/// The agent that stands between ssh and the person's own agent: it answers requests for the keychain, and passes on
/// everything else, byte for byte.
///
/// A single thread serves all clients and never waits for one of them. It has no secret but those that it is just
/// passing on: another program opens the keychain, for one request each.
package final class ForwardingAgent<Cryptography: HostCryptography> {
  /// What the agent is told when it starts.
  package struct Settings {
    /// The path of the person's own agent; `nil` if there is none.
    package var upstream: String?
    /// Whether requests for ssh keys are passed on.
    package var passesKeys = true
    /// The program that opens the keychain.
    package var program: String
    /// The name that it is run as.
    package var programName: String

    /// Makes settings.
    package init(upstream: String?, program: String, programName: String) {
      self.upstream = upstream
      self.program = program
      self.programName = programName
    }
  }

  private let settings: Settings
  private let cryptography: Cryptography
  private let policy: any ForwardingPolicy
  private let signals: Int32
  private var listeners: [(descriptor: Int32, entry: EntryPoint)]
  private var clients: [AgentClient] = []
  /// Programs whose client has gone while they change the keychain.
  private var leftover: [KeychainProgram] = []
  /// Programs that have said all, or were told to end.
  private var ending: [KeychainProgram] = []

  /// The largest number of clients at a time. To make room, the process with the most loses an idle one.
  package static var maximumClients: Int { 512 }
  /// The largest number of programs at a time, and of those for one process.
  private static var maximumPrograms: Int { 16 }
  private static var maximumProgramsOfOne: Int { 4 }
  /// How long ssh waits for the reply to a bind at most, in milliseconds: it stands still meanwhile.
  private static var bindTime: Int { 1000 }

  /// - Parameters:
  ///   - listeners: the listening sockets.
  ///   - signals: a descriptor that becomes readable when the agent should end; -1 if there is none.
  package init(
    _ listeners: [(descriptor: Int32, entry: EntryPoint)], signals: Int32, _ settings: Settings,
    _ cryptography: Cryptography, _ policy: any ForwardingPolicy
  ) {
    self.listeners = listeners
    self.signals = signals
    self.settings = settings
    self.cryptography = cryptography
    self.policy = policy
  }

  // MARK: The loop

  private enum Watched {
    case signals
    case listener(EntryPoint)
    case client(AgentClient)
    case upstream(AgentClient, UpstreamAgent)
    case programInput(AgentClient)
    case programOutput(AgentClient)
    case leftover(KeychainProgram)
  }

  /// Serves clients until a signal comes.
  package func run() {
    while true {
      startPrograms()
      var watched: [Watched] = []
      var polled: [pollfd] = []
      func watch(_ descriptor: Int32, _ events: Int16, _ what: Watched) {
        polled.append(pollfd(fd: descriptor, events: events, revents: 0))
        watched.append(what)
      }
      watch(signals, Int16(POLLIN), .signals)
      for listener in listeners { watch(listener.descriptor, Int16(POLLIN), .listener(listener.entry)) }
      for client in clients {
        watch(client.descriptor, client.events, .client(client))
        if let upstream = client.upstream {
          watch(upstream.descriptor, upstream.events, .upstream(client, upstream))
        }
        switch client.waiting {
        case .names(let upstream, _): watch(upstream.descriptor, upstream.events, .upstream(client, upstream))
        case .program(_, let program):
          if program.inputToWrite >= 0 { watch(program.inputToWrite, Int16(POLLOUT), .programInput(client)) }
          watch(program.output, Int16(POLLIN), .programOutput(client))
        case .nothing, .upstream, .bind, .turn: break
        }
      }
      for program in leftover { watch(program.output, Int16(POLLIN), .leftover(program)) }
      if poll(&polled, nfds_t(polled.count), timeToWait) < 0 {
        if errno == EINTR { continue }
        return
      }
      for (entry, what) in zip(polled, watched) where entry.revents != 0 {
        switch what {
        case .signals: return
        case .listener(let place): accept(entry.fd, place)
        case .client(let client): serve(client, entry.revents)
        case .upstream(let client, let upstream): advance(client, upstream, entry.revents)
        case .programInput(let client): program(of: client)?.write()
        case .programOutput(let client):
          if let program = program(of: client), program.read() { finish(client) }
        case .leftover(let program):
          if program.read() { removeLeftover(program) }
        }
      }
      ending.removeAll { $0.hasEnded() }
      giveUpWhatIsLate()
    }
  }

  private func program(of client: AgentClient) -> KeychainProgram? {
    if case .program(_, let program) = client.waiting { program } else { nil }
  }

  /// Until the next limit, in milliseconds; -1 if there is none.
  private var timeToWait: Int32 {
    let limits = clients.compactMap { client -> Int? in
      switch client.waiting {
      case .bind(_, let until), .names(_, let until): until
      case .nothing, .upstream, .turn, .program: nil
      }
    }
    let time = limits.min().map { max(0, $0 - SystemClock.sinceBoot) }
    // A program ends some time after its output. Nobody says when.
    guard !ending.isEmpty else { return time.map { Int32(clamping: $0) } ?? -1 }
    return Int32(clamping: min(time ?? 50, 50))
  }

  private func giveUpWhatIsLate() {
    let now = SystemClock.sinceBoot
    for client in clients {
      switch client.waiting {
      case .bind(let isRight, let until) where until <= now:
        client.upstream = nil
        reply(to: client, Self.replyToBind(isRight))
      case .names(_, let until) where until <= now: reply(to: client, QueryExtension.reply(ownNames))
      default: break
      }
    }
  }

  // MARK: Clients

  private func accept(_ listener: Int32, _ entry: EntryPoint) {
    // A few at a time, so that a flood of connections doesn't keep the others from being served.
    for _ in 0..<16 {
      let descriptor = clinux_accept(listener)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
          // The connection stays in the queue, so poll would return at once.
          if !makeRoom() { usleep(10_000) }
        }
        return
      }
      let process = Int(clinux_peer_pid(descriptor))
      guard clinux_peer_uid(descriptor) == Int(geteuid()), process != Int(getpid()),
        clients.count < Self.maximumClients || makeRoom()
      else {
        close(descriptor)
        continue
      }
      clients.append(AgentClient(descriptor, entry, process: process))
    }
  }

  /// Disconnects the oldest idle client of the process that has the most. Returns whether there is one.
  private func makeRoom() -> Bool {
    let numbers = Dictionary(grouping: clients, by: \.process).mapValues(\.count)
    let idle = clients.filter(\.isIdle)
    guard let most = idle.map({ numbers[$0.process] ?? 0 }).max(),
      let client = idle.first(where: { numbers[$0.process] == most })
    else { return false }
    drop(client)
    return true
  }

  private func drop(_ client: AgentClient) {
    if case .program(let request, let program) = client.waiting {
      note(request, .cancelled)
      if request.summary.changes {
        // It may have begun to write. What it does is whole either way.
        leftover.append(program)
      } else {
        if !program.hasEnded() { program.end() }
        ending.append(program)
      }
    }
    client.waiting = .nothing
    client.upstream = nil
    clients.removeAll { $0 === client }
  }

  private func removeLeftover(_ program: KeychainProgram) {
    leftover.removeAll { $0 === program }
    ending.append(program)
  }

  private func serve(_ client: AgentClient, _ events: Int16) {
    if events & Int16(POLLOUT) != 0, !client.outgoing.send(to: client.descriptor) { return drop(client) }
    if events & ~Int16(POLLOUT) == 0 { return }
    if case .nothing = client.waiting {
      var arrived = false
      let isOpen = receive(from: client.descriptor) { bytes in
        client.incoming.append(bytes)
        arrived = !bytes.isEmpty
      }
      if !isOpen, !arrived { return drop(client) }
      takeFrames(client)
    } else {
      // It is gone, or has closed its side: nobody waits for the answer. A change goes on.
      drop(client)
    }
  }

  /// Handles the frames that have arrived, until one has to be waited for.
  private func takeFrames(_ client: AgentClient) {
    while clients.contains(where: { $0 === client }) {
      guard case .nothing = client.waiting else { return }
      switch client.incoming.next {
      case .incomplete: return
      case .malformed: return drop(client)
      case .frame(let size):
        let frame = client.incoming.take(size) { Secret(copying: $0) }
        frame.withUnsafeBytes { take($0, from: client) }
      }
    }
  }

  private func reply(to client: AgentClient, _ frame: [UInt8]) {
    client.waiting = .nothing
    if !client.send(frame) { return drop(client) }
    takeFrames(client)
  }

  private func reply(to client: AgentClient, _ response: ForwardResponse) {
    client.waiting = .nothing
    if !client.send(response) { return drop(client) }
    takeFrames(client)
  }

  // MARK: Requests

  private func take(_ frame: UnsafeRawBufferPointer, from client: AgentClient) {
    let message = AgentMessage(frame.part(AgentFrame.headSize, frame.count - AgentFrame.headSize))
    guard message.type == AgentMessageType.extensionRequest, let (name, contents) = message.asExtension else {
      return passOn(frame, from: client)
    }
    if name == KeychainExtension.name {
      takeKeychainRequest(contents, from: client)
    } else if name == SessionBind.extensionName {
      takeBind(contents, frame, from: client)
    } else if name == QueryExtension.name, client.entry == .forwarding {
      askForNames(frame, for: client)
    } else if name == QueryExtension.name {
      _ = client.send(QueryExtension.reply(ownNames))
    } else {
      passOn(frame, from: client)
    }
  }

  /// Whether a client's other requests go to the person's agent.
  private func passes(_ client: AgentClient) -> Bool { settings.passesKeys && client.entry == .forwarding }

  private func passOn(
    _ frame: UnsafeRawBufferPointer, from client: AgentClient, _ waiting: AgentClient.Waiting = .upstream
  ) {
    guard passes(client), let upstream = client.upstream ?? connect() else {
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    client.upstream = upstream
    guard upstream.send(frame) else {
      client.upstream = nil
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    client.waiting = waiting
  }

  private func connect() -> UpstreamAgent? { settings.upstream.flatMap { UpstreamAgent(at: $0) } }

  private func takeBind(
    _ contents: UnsafeRawBufferPointer, _ frame: UnsafeRawBufferPointer, from client: AgentClient
  ) {
    // Where nobody can be verified, a bind says nothing.
    guard client.entry == .forwarding else {
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    let isRight = client.trust.take(contents, cryptography)
    guard passes(client), let upstream = client.upstream ?? connect() else {
      _ = client.send(Self.replyToBind(isRight))
      return
    }
    client.upstream = upstream
    passOn(frame, from: client, .bind(isRight: isRight, until: SystemClock.sinceBoot + Self.bindTime))
  }

  private static func replyToBind(_ isRight: Bool) -> [UInt8] {
    AgentFrame.encode(isRight ? AgentMessageType.success : AgentMessageType.extensionFailure)
  }

  private var ownNames: [ByteString] {
    [ByteString(KeychainExtension.name.bytes), ByteString(SessionBind.extensionName.bytes)]
  }

  /// Asks the person's agent on a connection of its own: one of OpenSSH's versions sends a second reply after this one.
  private func askForNames(_ frame: UnsafeRawBufferPointer, for client: AgentClient) {
    guard passes(client), let upstream = connect(), upstream.send(frame) else {
      _ = client.send(QueryExtension.reply(ownNames))
      return
    }
    client.waiting = .names(upstream, until: SystemClock.sinceBoot + Self.bindTime)
  }

  private func advance(_ client: AgentClient, _ upstream: UpstreamAgent, _ events: Int16) {
    switch client.waiting {
    case .names(let asked, _) where asked === upstream:
      var names = ownNames
      let progress = upstream.advance(events) { frame in
        let message = AgentMessage(frame.part(AgentFrame.headSize, frame.count - AgentFrame.headSize))
        for name in (try? QueryExtension.names(in: message)) ?? [] where !names.contains(name) {
          names.append(name)
        }
      }
      if case .waiting = progress { return }
      reply(to: client, QueryExtension.reply(names))
    case .upstream where client.upstream === upstream, .bind where client.upstream === upstream:
      var isSent = true
      switch upstream.advance(events, reply: { isSent = client.send($0) }) {
      case .waiting: return
      case .replied:
        client.waiting = .nothing
        if !isSent { return drop(client) }
        takeFrames(client)
      case .broken:
        client.upstream = nil
        reply(to: client, AgentFrame.encode(AgentMessageType.failure))
      }
    default:
      // What nobody has asked for: the connection is of no more use.
      if client.upstream === upstream { client.upstream = nil }
    }
  }

  // MARK: The keychain

  private func takeKeychainRequest(_ contents: UnsafeRawBufferPointer, from client: AgentClient) {
    guard contents.count <= KeychainExtension.maximumSize, let parsed = try? ForwardRequest(parsing: contents)
    else {
      _ = client.send(ForwardResponse.fault(.malformed))
      return
    }
    let summary = RequestSummary(parsed)
    let sender: (hosts: [VerifiedHost], permissions: Permissions)?
    switch client.entry {
    case .socket(let name): sender = policy.permissions(ofSocket: name)
    case .forwarding:
      guard let keys = try? client.trust.hosts() else {
        note(summary, [], .refused, .unverified)
        _ = client.send(ForwardResponse.fault(.unverified))
        return
      }
      sender = policy.permissions(of: keys)
    }
    guard let sender else {
      note(summary, [], .refused, .unavailable)
      _ = client.send(ForwardResponse.fault(.unavailable))
      return
    }
    client.waiting = .turn(
      KeychainRequest(sender.hosts, Secret(copying: contents), summary, sender.permissions))
  }

  /// Starts programs for those that wait for one, the oldest first, as far as bounds allow.
  private func startPrograms() {
    var running: [Int: Int] = [:]
    var count = 0
    for client in clients {
      if case .program = client.waiting {
        count += 1
        running[client.process, default: 0] += 1
      }
    }
    for client in clients where count < Self.maximumPrograms {
      guard case .turn(let request) = client.waiting,
        running[client.process, default: 0] < Self.maximumProgramsOfOne
      else { continue }
      let work = ForwardingWork(request.permissions, request.text.copy()).encoded
      guard let program = KeychainProgram(settings.program, as: settings.programName, work) else {
        note(request, .failed)
        reply(to: client, .fault(.unavailable))
        continue
      }
      client.waiting = .program(request, program)
      program.write()
      count += 1
      running[client.process, default: 0] += 1
    }
  }

  /// Passes on what the program has said.
  private func finish(_ client: AgentClient) {
    guard case .program(let request, let program) = client.waiting else { return }
    let result = program.takeResult()
    ending.append(program)
    let mark: StaticString = "response\n"
    var response: ForwardResponse?
    result.withUnsafeBytes { bytes in
      guard bytes.starts(with: mark) else { return }
      let size = mark.utf8CodeUnitCount
      response = try? ForwardResponse(parsing: bytes.part(size, bytes.count - size))
    }
    // There is nobody to ask.
    let answer =
      response ?? .fault(result.withUnsafeBytes { $0.starts(with: "ask\n") } ? .refused : .unavailable)
    note(request, LoggedRequest.Outcome(of: answer, to: request.summary), answer)
    reply(to: client, answer)
  }

  // MARK: The log

  private func note(
    _ request: KeychainRequest, _ outcome: LoggedRequest.Outcome, _ response: ForwardResponse? = nil
  ) {
    var fault: ForwardFault?
    var account: ByteString?
    switch response {
    case .fault(let why): fault = why
    case .items(let items, let answer?): account = items[answer.index].key.account
    default: break
    }
    note(request.summary, request.hosts, outcome, fault, account)
  }

  private func note(
    _ summary: RequestSummary, _ hosts: [VerifiedHost], _ outcome: LoggedRequest.Outcome,
    _ fault: ForwardFault?,
    _ account: ByteString? = nil
  ) {
    policy.note(
      LoggedRequest(
        date: .now, hosts: hosts.map(\.host), keys: hosts.compactMap(\.fingerprint), tool: summary.tool,
        action: summary.action, place: summary.place, account: account ?? summary.account, outcome: outcome,
        fault: fault))
  }
}

extension LoggedRequest.Outcome {
  init(of response: ForwardResponse, to request: RequestSummary) {
    switch response {
    case .fault(.refused), .fault(.unverified): self = .refused
    case .fault(.notFound): self = .nothing
    case .fault: self = .failed
    case .credential, .items(_, .some): self = .answered
    case .items where request.changes: self = .changed
    case .items(let items, nil): self = items.isEmpty ? .nothing : .listed
    case .waiting: self = .nothing
    }
  }
}
