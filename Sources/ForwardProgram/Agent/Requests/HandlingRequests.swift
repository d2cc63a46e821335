import Bytes
import CLinux
import Forwarding
import Keychain

extension ForwardingAgent {
  /// The largest number of programs at a time, and of those for one session.
  private static var maximumPrograms: Int { 16 }
  private static var maximumProgramsOfOne: Int { 4 }
  /// After how long the sender of a request is told to ask again, in milliseconds.
  private static var patience: Int { 1000 }
  /// How long a program waits for a request, in milliseconds.
  private static var spareTime: Int { 5000 }
  /// How long a request may take, in milliseconds, including all questions.
  private static var maximumTime: Int { 300_000 }

  func takeKeychainRequest(_ contents: UnsafeRawBufferPointer, from client: ForwardingClient) {
    guard contents.count <= KeychainExtension.maximumSize, let parsed = try? ForwardRequest(parsing: contents)
    else {
      _ = client.send(ForwardResponse.fault(.malformed))
      return
    }
    let now = SystemClock.sinceBoot
    if case .wait(let ticket) = parsed.action {
      guard let request = client.request, request.ticket == ticket else {
        _ = client.send(ForwardResponse.fault(.undecided))
        return
      }
      if case .answered(let response, let outcome) = request.state {
        if isStillAllowed(request, of: client) {
          client.request = nil
          noteTaken(request, of: client, outcome, response)
          _ = client.send(response)
          return
        }
        request.state = .queued
      }
      client.waiting = .keychain(until: now + Self.patience)
      return
    }
    if client.request != nil {
      _ = client.send(ForwardResponse.fault(.busy))
      return
    }
    let summary = RequestSummary(parsed)
    do throws(ForwardFault) {
      let sender = try sender(of: client)
      lastTicket += 1
      client.request = KeychainRequest(
        sender.hosts, Secret(copying: contents), summary, ticket: lastTicket, arrival: now,
        end: now + Self.maximumTime)
      client.waiting = .keychain(until: now + Self.patience)
    } catch {
      policy.note(Self.entry(summary, [], .refused, error))
      _ = client.send(ForwardResponse.fault(error))
    }
  }

  /// The sender on a connection, with its present permissions.
  private func sender(
    of client: ForwardingClient
  ) throws(ForwardFault) -> (hosts: [VerifiedHost], permissions: Permissions) {
    switch client.entry {
    case .control: throw .unverified
    case .socket(let name):
      if let rules = sandboxes[name] {
        return ([VerifiedHost(.socket(name), fingerprint: nil)], Permissions(hosts: [rules], mayAsk: false))
      }
      guard let sender = policy.permissions(ofSocket: name) else { throw .unavailable }
      return sender
    case .forwarding:
      guard let keys = try? client.trust.hosts() else { throw .unverified }
      guard let sender = policy.permissions(of: keys) else { throw .unavailable }
      return sender
    }
  }

  /// The sender's present permissions by the rules; `nil` if unknown.
  func permissions(of client: ForwardingClient) -> Permissions? { (try? sender(of: client))?.permissions }

  /// A request's present permissions, including a person's decisions. They can have changed since it came, by an answer
  /// or by another bind.
  ///
  /// - Parameter now: the time by which decisions end, in milliseconds since boot.
  private func permissions(
    of client: ForwardingClient, for request: KeychainRequest, at now: Int = SystemClock.sinceBoot
  ) throws(ForwardFault) -> Permissions {
    let sender = try sender(of: client)
    if sender.hosts != request.hosts { throw .unverified }
    let tool = request.summary.tool
    let permissions = sender.permissions.adding(
      leases.grants(in: client.session, request.hosts, tool, now: now)
        + client.decisions.grants(request.hosts, tool, now: now))
    // Otherwise the answer would reveal what is there, without a question.
    return mayAsk(client.session) ? permissions : permissions.withoutAsking
  }

  /// Whether the sender still has all permissions from the start of its program: an answer may wait for a passphrase,
  /// or for its sender. Finished changes stay.
  private func isStillAllowed(_ request: KeychainRequest, of client: ForwardingClient) -> Bool {
    guard !request.summary.changes, let former = request.permissions else { return true }
    // A decision that has merely expired was valid then.
    let present = try? permissions(of: client, for: request, at: request.start)
    return present?.keepsAll(of: former) ?? false
  }

  /// Starts programs for waiting requests, the oldest first, within bounds.
  func startPrograms() {
    var running: [ForwardingSession: Int] = [:]
    var count = 0
    for client in clients where client.request?.program != nil {
      count += 1
      running[client.session, default: 0] += 1
    }
    for (_, session, _) in leftover {
      count += 1
      running[session, default: 0] += 1
    }
    for client in clients where count < Self.maximumPrograms {
      guard let request = client.request, case .queued = request.state,
        running[client.session, default: 0] < Self.maximumProgramsOfOne
      else { continue }
      do throws(ForwardFault) {
        let now = SystemClock.sinceBoot
        let permissions = try permissions(of: client, for: request, at: now)
        guard let program = takeSpare() ?? newProgram() else { throw .unavailable }
        request.permissions = permissions
        request.start = now
        request.state = .program(program)
        program.give(ForwardingWork(permissions, request.text.copy()).encoded)
        count += 1
        running[client.session, default: 0] += 1
      } catch {
        answer(client, .fault(error))
      }
    }
  }

  private func newProgram() -> PipedProgram? {
    PipedProgram(settings.program, as: settings.answeringName)
  }

  /// Starts a program for a request expected soon, to save its start time. It is ended if none comes.
  func prepareSpare() {
    if spare == nil { spare = newProgram().map { ($0, SystemClock.sinceBoot + Self.spareTime) } }
  }

  /// Ends the program that got no request.
  func dismissSpare() {
    guard let (program, _) = spare else { return }
    spare = nil
    program.dismiss()
    ending.append(program)
    // Nothing was to be done for a while, and maybe won't be for hours.
    clinux_release_code()
  }

  private func takeSpare() -> PipedProgram? {
    guard let (program, _) = spare else { return nil }
    spare = nil
    return program.hasEnded() ? nil : program
  }

  func finish(_ client: ForwardingClient) {
    guard let request = client.request, let program = request.program else { return }
    let result = program.takeResult()
    ending.append(program)
    // Further requests often follow. The answer to this one is sent first.
    defer { prepareSpare() }
    switch result.withUnsafeBytes({ ForwardingService.Outcome(parsing: $0) }) {
    case .response(let response)?:
      if isStillAllowed(request, of: client) {
        answer(client, response)
      } else {
        request.state = .queued
      }
    case .hidden?: answer(client, .items([], nil), noted: .refused)
    case .asks(let question)?:
      if let permissions = try? permissions(of: client, for: request), permissions != request.permissions {
        // Somebody has decided meanwhile, perhaps about the same item.
        request.state = .queued
      } else {
        ask(question, for: client, request)
      }
    // It failed, and gave the reason on standard error.
    case nil: answer(client, .fault(.unavailable))
    }
  }

  /// Gives a client the answer to its request, now or when it asks again. It is logged once nothing can withdraw it.
  ///
  /// - Parameter outcome: the outcome for the log, if that is more than the sender may know.
  func answer(
    _ client: ForwardingClient, _ response: ForwardResponse, noted outcome: LoggedRequest.Outcome? = nil
  ) {
    guard let request = client.request else { return }
    let outcome = outcome ?? LoggedRequest.Outcome(of: response, to: request.summary)
    guard case .keychain = client.waiting else {
      request.state = .answered(response, outcome)
      if request.summary.changes { note(request, of: client, outcome, response) }
      return
    }
    client.request = nil
    reply(to: client, response)
    note(request, of: client, outcome, response)
  }

  // MARK: The log

  /// Logs an answer that its sender has fetched, or never will. A change was logged when it was made.
  func noteTaken(
    _ request: KeychainRequest, of client: ForwardingClient, _ outcome: LoggedRequest.Outcome,
    _ response: ForwardResponse
  ) {
    if !request.summary.changes { note(request, of: client, outcome, response) }
  }

  /// Logs an abandoned request, with its answer if it has one.
  func noteLeft(_ request: KeychainRequest, of client: ForwardingClient) {
    if case .answered(let response, let outcome) = request.state {
      noteTaken(request, of: client, outcome, response)
    } else {
      note(request, of: client, .cancelled)
    }
  }

  func note(
    _ request: KeychainRequest, of client: ForwardingClient, _ outcome: LoggedRequest.Outcome,
    _ response: ForwardResponse? = nil
  ) {
    var fault: ForwardFault?
    var account: ByteString?
    switch response {
    case .fault(let why): fault = why
    case .items(let items, let answer?, _): account = items[answer.index].key.account
    default: break
    }
    let entry = Self.entry(request.summary, request.hosts, outcome, fault, account)
    let mayRepeat = request.summary.namesAll && outcome != .changed
    if mayRepeat, client.repeats(entry, answer: response?.hash ?? 0, cameAt: request.arrival) { return }
    policy.note(entry)
  }

  private static func entry(
    _ summary: RequestSummary, _ hosts: [VerifiedHost], _ outcome: LoggedRequest.Outcome,
    _ fault: ForwardFault?, _ account: ByteString? = nil
  ) -> LoggedRequest {
    LoggedRequest(
      date: .now, hosts: hosts.map(\.host), keys: hosts.compactMap(\.fingerprint), tool: summary.tool,
      action: summary.action, place: summary.place, account: account ?? summary.account, outcome: outcome,
      fault: fault)
  }
}

extension ForwardResponse {
  /// A hash, seeded by this process, by which an answer is known again without being kept.
  fileprivate var hash: Int {
    var hasher = Hasher()
    encoded.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}

extension LoggedRequest.Outcome {
  init(of response: ForwardResponse, to request: RequestSummary) {
    switch response {
    case .fault(.refused), .fault(.unverified): self = .refused
    case .fault(.undecided): self = .undecided
    case .fault(.notFound): self = .nothing
    case .fault: self = .failed
    case .credential, .items(_, .some, _): self = .answered
    case .items where request.changes: self = .changed
    case .items(let items, nil, _): self = items.isEmpty ? .nothing : .listed
    case .waiting: self = .nothing
    }
  }
}
