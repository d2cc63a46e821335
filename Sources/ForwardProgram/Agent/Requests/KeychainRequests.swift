import Bytes
import CLinux
import Forwarding
import Keychain
import SSH

extension ForwardingAgent {
  /// The largest number of programs at a time, and of those for one session.
  private static var maximumPrograms: Int { 16 }
  private static var maximumProgramsOfOne: Int { 4 }
  /// After how long the sender of a request is told to ask again, in milliseconds.
  private static var patience: Int { 1000 }
  /// How long a program waits for a request, in milliseconds.
  private static var spareTime: Int { 5000 }
  /// How long a request takes at most, in milliseconds, with all that a person is asked for.
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
          noteTaken(request, outcome, response)
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
        sender.hosts, Secret(copying: contents), summary, ticket: lastTicket, end: now + Self.maximumTime)
      client.waiting = .keychain(until: now + Self.patience)
    } catch {
      note(summary, [], .refused, error)
      _ = client.send(ForwardResponse.fault(error))
    }
  }

  /// Who sends what comes over a connection, and what they may have now.
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

  /// What whoever sends over a connection may have now, by the rules; `nil` if that can't be told.
  func permissions(of client: ForwardingClient) -> Permissions? { (try? sender(of: client))?.permissions }

  /// What a request may have now, with what a person has decided. It can have changed since it came, by an answer or by
  /// another bind.
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
    // Otherwise the answer would tell what is there from what isn't, with nobody asked.
    return mayAsk(client.session) ? permissions : permissions.withoutAsking
  }

  /// Whether nothing has been taken back of what the sender of a request might have when its program was started: an
  /// answer waits for as long as somebody types a passphrase, or for its sender. What has been changed is changed.
  private func isStillAllowed(_ request: KeychainRequest, of client: ForwardingClient) -> Bool {
    guard !request.summary.changes, let former = request.permissions else { return true }
    // A decision that has only come to its end counted then.
    let present = try? permissions(of: client, for: request, at: request.start)
    return present?.keepsAll(of: former) ?? false
  }

  /// Starts programs for those that wait for one, the oldest first, as far as bounds allow.
  func startPrograms() {
    var running: [Session: Int] = [:]
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

  /// Starts a program for a request that will come soon, so that it needn't wait for that. It is ended if none comes.
  func prepareSpare() {
    if spare == nil { spare = newProgram().map { ($0, SystemClock.sinceBoot + Self.spareTime) } }
  }

  /// Ends the program that no request has come for.
  func dismissSpare() {
    guard let (program, _) = spare else { return }
    spare = nil
    program.dismiss()
    ending.append(program)
    // There was nothing to do for a while, and there may be nothing for hours.
    clinux_release_code()
  }

  private func takeSpare() -> PipedProgram? {
    guard let (program, _) = spare else { return nil }
    spare = nil
    return program.hasEnded() ? nil : program
  }

  /// Passes on what the program has said.
  func finish(_ client: ForwardingClient) {
    guard let request = client.request, let program = request.program else { return }
    let result = program.takeResult()
    ending.append(program)
    // Further requests often follow. By then the answer to this one has gone out.
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
        // Somebody has decided meanwhile, perhaps about the same.
        request.state = .queued
      } else {
        ask(question, for: client, request)
      }
    // It has failed, and has said why on standard error.
    case nil: answer(client, .fault(.unavailable))
    }
  }

  /// Gives a client the answer to its request, now or when it asks again. It is logged once nothing can take it back.
  ///
  /// - Parameter outcome: what the log says of it, if that is more than its sender may know.
  func answer(
    _ client: ForwardingClient, _ response: ForwardResponse, noted outcome: LoggedRequest.Outcome? = nil
  ) {
    guard let request = client.request else { return }
    let outcome = outcome ?? LoggedRequest.Outcome(of: response, to: request.summary)
    guard case .keychain = client.waiting else {
      request.state = .answered(response, outcome)
      if request.summary.changes { note(request, outcome, response) }
      return
    }
    client.request = nil
    reply(to: client, response)
    note(request, outcome, response)
  }

  // MARK: The log

  /// Logs an answer that its sender has come for, or won't come for any more. A change was logged when it was made.
  func noteTaken(
    _ request: KeychainRequest, _ outcome: LoggedRequest.Outcome, _ response: ForwardResponse
  ) {
    if !request.summary.changes { note(request, outcome, response) }
  }

  /// Logs a request that nobody waits for any more, with its answer if it has one.
  func noteLeft(_ request: KeychainRequest) {
    if case .answered(let response, let outcome) = request.state {
      noteTaken(request, outcome, response)
    } else {
      note(request, .cancelled)
    }
  }

  func note(
    _ request: KeychainRequest, _ outcome: LoggedRequest.Outcome, _ response: ForwardResponse? = nil
  ) {
    var fault: ForwardFault?
    var account: ByteString?
    switch response {
    case .fault(let why): fault = why
    case .items(let items, let answer?, _): account = items[answer.index].key.account
    default: break
    }
    note(request.summary, request.hosts, outcome, fault, account)
  }

  private func note(
    _ summary: RequestSummary, _ hosts: [VerifiedHost], _ outcome: LoggedRequest.Outcome,
    _ fault: ForwardFault?, _ account: ByteString? = nil
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
