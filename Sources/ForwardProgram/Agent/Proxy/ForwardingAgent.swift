import Bytes
import CLinux
import Forwarding
import Glibc
import Keychain

/// The agent's view of its surroundings.
protocol ForwardingPolicy: AnyObject {
  /// The hosts with these keys, the nearest first, and their present permissions; `nil` without readable rules.
  func permissions(of keys: [HostKey]) -> (hosts: [VerifiedHost], permissions: Permissions)?
  /// The present permissions of a socket.
  func permissions(ofSocket name: ByteString) -> (hosts: [VerifiedHost], permissions: Permissions)?
  /// Turns a person's decision into a rule. Returns whether it is now in effect.
  func remember(_ rule: ForwardingRule) -> Bool
  var canAsk: Bool { get }
  /// Called once for each ended request.
  func note(_ request: LoggedRequest)
}

/// The agent between ssh and the person's own agent: it answers requests for the keychain, and passes on everything
/// else, byte for byte.
///
/// A single thread serves all clients and never waits for one of them. It holds only secrets that it is just passing
/// on: another program opens the keychain, for one request each.
final class ForwardingAgent<Cryptography: HostCryptography> {
  struct Settings {
    var upstream: String?
    var passesKeys = true
    /// The program that opens the keychain, and asks a person.
    var program: String
    /// The name to run it as for answering a request.
    var answeringName: String
    /// The name to run it as for asking.
    var askingName: String
    /// The path of the program that reports when the screen is locked; `nil` for none.
    var watchingProgram: String?
    /// The name to run it as.
    var watchingName = ""
    /// How long a question stays open, in milliseconds: at most two minutes.
    var questionTime = Self.longestQuestionTime
    static var longestQuestionTime: Int { 120_000 }

    init(upstream: String?, program: String, answeringName: String, askingName: String) {
      self.upstream = upstream
      self.program = program
      self.answeringName = answeringName
      self.askingName = askingName
    }
  }

  var settings: Settings
  let cryptography: Cryptography
  let policy: any ForwardingPolicy
  let sockets: NamedSockets
  let start = Timestamp.now
  private let signals: Int32
  var listeners: [(descriptor: Int32, entry: EntryPoint)]
  var clients: [ForwardingClient] = []
  /// Programs whose client left while they change the keychain, with that client's session, and when they are given up,
  /// in milliseconds since boot.
  var leftover: [(program: PipedProgram, session: ForwardingSession, end: Int)] = []
  /// A program that waits for a request, and when it is ended, in milliseconds since boot.
  var spare: (program: PipedProgram, end: Int)?
  /// Programs that have finished their output, or were told to end.
  var ending: [PipedProgram] = []
  var questions: [PersonQuestion] = []
  /// The session asked about last.
  var lastAsked: ForwardingSession?
  /// How often each session was refused.
  var refusals: [ForwardingSession: Int] = [:]
  var leases = Leases()
  var programs = SSHPrograms()
  /// The program that reports when the screen is locked. It runs as long as there are leases.
  var screenWatch: PipedProgram?
  var sandboxes: [ByteString: [ForwardingRule]] = [:]
  var lastTicket = 0

  /// - Parameters:
  ///   - listeners: the listening sockets, without the named ones.
  ///   - sockets: the named sockets.
  ///   - signals: a descriptor that becomes readable when the agent should end; -1 for none.
  init(
    _ listeners: [(descriptor: Int32, entry: EntryPoint)], _ sockets: NamedSockets, signals: Int32,
    _ settings: Settings, _ cryptography: Cryptography, _ policy: any ForwardingPolicy
  ) {
    self.listeners = listeners
    self.sockets = sockets
    self.signals = signals
    self.settings = settings
    self.cryptography = cryptography
    self.policy = policy
  }

  // MARK: The loop

  private enum Watched {
    case signals
    case listener(EntryPoint)
    case client(ForwardingClient)
    case upstream(ForwardingClient, UpstreamAgent)
    case programInput(PipedProgram)
    case programOutput(ForwardingClient)
    case answer(PersonQuestion)
    case leftover(PipedProgram)
    case screen(PipedProgram)
  }

  func run() {
    // Nobody can fetch an answer any more.
    defer { for client in clients { if let request = client.request { noteLeft(request, of: client) } } }
    sockets.removeLeftSandboxes()
    lookForSockets()
    while true {
      startPrograms()
      askNextQuestion()
      var watched: [Watched] = []
      var polled: [pollfd] = []
      func watch(_ descriptor: Int32, _ events: Int16, _ what: Watched) {
        polled.append(pollfd(fd: descriptor, events: events, revents: 0))
        watched.append(what)
      }
      func watch(_ program: PipedProgram, _ what: Watched) {
        if program.inputToWrite >= 0 { watch(program.inputToWrite, Int16(POLLOUT), .programInput(program)) }
        watch(program.output, Int16(POLLIN), what)
      }
      watch(signals, Int16(POLLIN), .signals)
      for listener in listeners { watch(listener.descriptor, Int16(POLLIN), .listener(listener.entry)) }
      for client in clients {
        watch(client.descriptor, client.events, .client(client))
        if let upstream = client.upstream {
          watch(upstream.descriptor, upstream.events, .upstream(client, upstream))
        }
        if case .names(let upstream, _) = client.waiting {
          watch(upstream.descriptor, upstream.events, .upstream(client, upstream))
        }
        if let program = client.request?.program { watch(program, .programOutput(client)) }
      }
      for question in questions {
        if let (program, _) = question.program { watch(program, .answer(question)) }
      }
      if let screenWatch { watch(screenWatch.output, Int16(POLLIN), .screen(screenWatch)) }
      for (program, _, _) in leftover { watch(program, .leftover(program)) }
      if poll(&polled, nfds_t(polled.count), timeToWait) < 0 {
        if errno == EINTR { continue }
        return
      }
      for (entry, what) in zip(polled, watched) where entry.revents != 0 {
        switch what {
        case .signals: return endQuestions()
        case .listener(let place): accept(entry.fd, place)
        case .client(let client): serve(client, entry.revents)
        case .upstream(let client, let upstream): advance(client, upstream, entry.revents)
        case .programInput(let program): program.write()
        case .programOutput(let client):
          if let program = client.request?.program, program.read() { finish(client) }
        case .answer(let question):
          if let (program, _) = question.program, program.read() { finish(question) }
        case .leftover(let program):
          if program.read() { removeLeftover(program) }
        case .screen(let program): takeScreenLock(program)
        }
      }
      ending.removeAll { $0.hasEnded() }
      giveUpWhatIsLate()
    }
  }

  /// Ends the asking programs, because nobody would hear the answer. They get a second to restore a terminal.
  private func endQuestions() {
    let programs = questions.compactMap { $0.program?.0 }
    for program in programs where !program.hasEnded() { program.end() }
    let deadline = SystemClock.awake + 1000
    for program in programs { while !program.hasEnded(), SystemClock.awake < deadline { usleep(2000) } }
  }

  /// The time until the next limit, in milliseconds; -1 for none.
  private var timeToWait: Int32 {
    var limits: [Int] = []
    for client in clients {
      switch client.waiting {
      case .bind(_, let until), .names(_, let until), .keychain(let until): limits.append(until)
      case .nothing, .upstream: break
      }
      if let request = client.request { limits.append(request.end) }
    }
    limits += questions.compactMap { $0.program?.end }
    if let spare { limits.append(spare.end) }
    limits += leftover.map(\.end)
    let time = limits.min().map { max(0, $0 - SystemClock.sinceBoot) }
    // A program ends some time after its output, without notice.
    guard !ending.isEmpty else { return time.map { Int32(clamping: $0) } ?? -1 }
    return Int32(clamping: min(time ?? 50, 50))
  }

  private func giveUpWhatIsLate() {
    let now = SystemClock.sinceBoot
    for client in clients {
      if let request = client.request, request.end <= now {
        if case .answered(let response, let outcome) = request.state {
          // Nobody has fetched it.
          client.request = nil
          noteTaken(request, of: client, outcome, response)
        } else {
          stop(request, of: client)
          answer(client, .fault(.undecided))
        }
      }
      switch client.waiting {
      case .bind(let isRight, let until) where until <= now:
        if client.upstream?.passOverReply() == false { client.loseUpstream() }
        reply(to: client, Self.replyToBind(isRight))
      case .names(_, let until) where until <= now: reply(to: client, QueryExtension.reply(ownNames))
      case .keychain(let until) where until <= now:
        if let request = client.request { reply(to: client, .waiting(ticket: request.ticket)) }
      default: break
      }
    }
    for question in questions {
      if let (_, end) = question.program, end <= now { giveUp(question) }
    }
    if let spare, spare.end <= now { dismissSpare() }
    for (program, _, end) in leftover where end <= now {
      if !program.hasEnded() { program.end() }
      removeLeftover(program)
    }
  }
}

extension ForwardingAgent {
  /// The largest number of clients at a time, without those of `llavero forward`. To make room, the session with the
  /// most loses one. With a connection to the person's agent for each, they stay below 1024 descriptors.
  static var maximumClients: Int { 400 }
  /// How long ssh waits for the reply to a bind, in milliseconds; it stands still meanwhile. Together with the names of
  /// the extensions, it is less than a program on the other side waits to find the keychain.
  static var bindTime: Int { 300 }

  // MARK: Clients

  func accept(_ listener: Int32, _ entry: EntryPoint) {
    // A few at a time, so that a flood of connections doesn't keep others from being served.
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
      guard mayConnect(clinux_peer_uid(descriptor), entry), process != Int(getpid()) else {
        close(descriptor)
        continue
      }
      let client = ForwardingClient(descriptor, entry, process: process)
      if entry == .control || clients.count < Self.maximumClients || makeRoom(for: client.session) {
        clients.append(client)
      }
    }
  }

  /// Whether a user may connect: this one, and in a container also root, who could become this one anyway.
  private func mayConnect(_ user: Int, _ entry: EntryPoint) -> Bool {
    if case .socket = entry, user == 0 { return true }
    return user == Int(geteuid())
  }

  /// Disconnects a client of the largest session: its oldest idle one, or its newest if all are busy and it has more
  /// than the new session. So nobody can keep others out by asking a lot. Returns whether there was one.
  private func makeRoom(for session: ForwardingSession? = nil) -> Bool {
    let others = clients.filter { $0.entry != .control }
    let numbers = Dictionary(grouping: others, by: \.session).mapValues(\.count)
    let most = numbers.values.max() ?? 0
    let own = session.map { numbers[$0, default: 0] } ?? 0
    let candidates = others.filter { numbers[$0.session] == most && (own < most || $0.session == session) }
    guard let client = candidates.first(where: \.isIdle) ?? (own + 1 < most ? candidates.last : nil) else {
      return false
    }
    drop(client)
    return true
  }

  func drop(_ client: ForwardingClient) {
    if let request = client.request {
      noteLeft(request, of: client)
      stop(request, of: client)
      client.request = nil
    }
    client.waiting = .nothing
    client.loseUpstream()
    clients.removeAll { $0 === client }
    removeEndedLeases()
    if let sandbox = client.sandbox { end(sandbox: sandbox) }
  }

  /// Ends the work on a request. A change continues: it is complete either way.
  private func stop(_ request: KeychainRequest, of client: ForwardingClient) {
    switch request.state {
    case .queued, .answered: break
    case .asking: withdraw(client)
    case .program(let program):
      if request.summary.changes {
        leftover.append((program, client.session, request.end))
      } else {
        if !program.hasEnded() { program.end() }
        ending.append(program)
      }
    }
  }

  func removeLeftover(_ program: PipedProgram) {
    leftover.removeAll { $0.program === program }
    ending.append(program)
  }

  func serve(_ client: ForwardingClient, _ events: Int16) {
    if events & Int16(POLLOUT) != 0 {
      guard client.outgoing.send(to: client.descriptor) else { return drop(client) }
      takeFrames(client)
      if !clients.contains(where: { $0 === client }) { return }
    }
    if events & ~Int16(POLLOUT) == 0 { return }
    if case .nothing = client.waiting {
      // It has closed its side, or is gone, without reading its answer.
      if !client.takesFrames { return drop(client) }
      var arrived = false
      let isOpen = receive(from: client.descriptor) { bytes in
        client.incoming.append(bytes)
        arrived = !bytes.isEmpty
      }
      if !isOpen, !arrived { return drop(client) }
      takeFrames(client)
    } else {
      // It is gone, or has closed its side: nobody waits for the answer. A change continues.
      drop(client)
    }
  }

  /// Handles the frames that have arrived, until one must wait.
  func takeFrames(_ client: ForwardingClient) {
    while clients.contains(where: { $0 === client }) {
      guard client.takesFrames else { return }
      switch client.incoming.next {
      case .incomplete: return
      case .malformed: return drop(client)
      case .frame(let size):
        let frame = client.incoming.take(size) { Secret(copying: $0) }
        frame.withUnsafeBytes { take($0, from: client) }
      }
    }
  }

  func reply(to client: ForwardingClient, _ frame: [UInt8]) {
    client.waiting = .nothing
    if !client.send(frame) { return drop(client) }
    takeFrames(client)
  }

  func reply(to client: ForwardingClient, _ response: ForwardResponse) {
    client.waiting = .nothing
    if !client.send(response) { return drop(client) }
    takeFrames(client)
  }
}
