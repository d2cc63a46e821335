import Bytes
import Forwarding
import Keychain

extension ForwardingAgent {
  /// The largest number of questions, and of those of one session.
  private static var maximumQuestions: Int { 64 }
  private static var maximumQuestionsOfOne: Int { 4 }
  /// After how many refusals a session is no longer asked about.
  private static var maximumRefusals: Int { 3 }

  /// Asks a person, or joins an identical question.
  func ask(_ question: ForwardingService.Question, for client: ForwardingClient, _ request: KeychainRequest) {
    let new = PersonQuestion(client, request, question)
    request.state = .asking
    if let same = questions.first(where: { $0.isSame(as: new) }) {
      same.clients.append(client)
      return
    }
    questions.append(new)
  }

  /// Whether a session may cause one more question.
  func mayAsk(_ session: ForwardingSession) -> Bool {
    refusals[session, default: 0] < Self.maximumRefusals && questions.count < Self.maximumQuestions
      && questions.filter { $0.session == session }.count < Self.maximumQuestionsOfOne
  }

  /// Shows the next question if none is shown; not the same session's again, if there are others.
  func askNextQuestion() {
    if questions.contains(where: { $0.program != nil }) { return }
    while let next = questions.first(where: { $0.session != lastAsked }) ?? questions.first {
      lastAsked = next.session
      if let program = PipedProgram(settings.program, as: settings.askingName) {
        next.program = (program, SystemClock.sinceBoot + settings.questionTime)
        program.give(next.text.encoded)
        return
      }
      remove(next)
      for client in next.clients { answer(client, .fault(.unavailable)) }
    }
  }

  func finish(_ question: PersonQuestion) {
    guard let (program, _) = question.program else { return }
    let result = program.takeResult()
    ending.append(program)
    question.program = nil
    remove(question)
    let words = Decision.allCases.filter { decision in
      result.withUnsafeBytes { String(decoding: $0, as: UTF8.self) == decision.rawValue + "\n" }
    }
    switch words.first {
    case .once?: decide(question, isAllowed: true)
    case .session?:
      lease(question)
      decide(question, isAllowed: true)
    case .always?:
      if !remember(question, isAllowed: true) { lease(question) }
      decide(question, isAllowed: true)
    case .never?:
      _ = remember(question, isAllowed: false)
      decide(question, isAllowed: false)
    case .no?, nil: decide(question, isAllowed: false)
    }
  }

  /// Continues the waiting requests after a decision.
  private func decide(_ question: PersonQuestion, isAllowed: Bool) {
    let now = SystemClock.sinceBoot
    if isAllowed {
      refusals[question.session] = nil
    } else {
      if refusals.count > 1000 { refusals = [:] }
      refusals[question.session, default: 0] += 1
    }
    let grant = Permissions.Grant(
      question.question.item.key, question.question.right, isAllowed: isAllowed)
    for client in question.clients {
      client.decisions.add(grant, question.hosts, question.tool, now: now)
      if isAllowed {
        client.request?.state = .queued
      } else {
        answer(client, .fault(.refused))
      }
    }
  }

  private func lease(_ question: PersonQuestion) {
    let now = SystemClock.sinceBoot
    let grant = Permissions.Grant(question.question.item.key, question.question.right, isAllowed: true)
    leases.add(
      Lease(
        session: question.session, hosts: question.hosts, tool: question.tool, grant: grant,
        end: now + Lease.maximumTime), now: now)
    watchScreen()
  }

  /// Turns a decision into rules. Returns whether they are in effect; some items can't be named by a rule.
  private func remember(_ question: PersonQuestion, isAllowed: Bool) -> Bool {
    guard let client = question.clients.first, let permissions = permissions(of: client) else { return false }
    let (key, right) = (question.question.item.key, question.question.right)
    guard let place = PlacePattern(exactly: key) else { return false }
    let undecided = permissions.undecidedHosts(right, key, by: question.tool)
    // Refusing it to one of them is enough; the last is the sender.
    let hosts = isAllowed ? undecided : Array(undecided.suffix(1))
    var isRemembered = !hosts.isEmpty
    for index in hosts where question.hosts.indices.contains(index) {
      let host = question.hosts[index].host
      // The question was about this item only. A refused client could use another name for the tool.
      let rule = ForwardingRule(
        isAllowed ? .allow : .deny, host, place, tool: isAllowed ? question.tool : nil,
        account: key.account.flatMap { $0.isEmpty ? nil : $0 }, isExact: true,
        mayChange: isAllowed && right == .change)
      isRemembered = rule.canBeRead && policy.remember(rule) && isRemembered
    }
    return isRemembered
  }

  /// Ends a question that nobody has answered, without remembering anything.
  func giveUp(_ question: PersonQuestion) {
    endProgram(of: question)
    remove(question)
    for client in question.clients { answer(client, .fault(.undecided)) }
  }

  /// Withdraws the question of a client that is gone, unless others wait for its answer.
  func withdraw(_ client: ForwardingClient) {
    for question in questions {
      question.clients.removeAll { $0 === client }
      if question.clients.isEmpty {
        endProgram(of: question)
        remove(question)
      }
    }
  }

  private func endProgram(of question: PersonQuestion) {
    guard let (program, _) = question.program else { return }
    if !program.hasEnded() { program.end() }
    ending.append(program)
    question.program = nil
  }

  private func remove(_ question: PersonQuestion) { questions.removeAll { $0 === question } }
}

extension PlacePattern {
  /// The place of exactly this item; `nil` if a rule can't name it.
  init?(exactly key: Item.Key) {
    let place: PlacePattern
    switch key {
    case .internetPassword(let key):
      guard let server = key.server else { return nil }
      let `protocol` = key.protocol.lowercased
      let port = InternetPassword.furtherPort(key.port, of: `protocol`)
      place = .internet(protocol: `protocol`, server: server.lowercased, port: port, path: key.path)
    case .genericPassword(let key): place = .service(key.service)
    case .cryptographic, .secretService: return nil
    }
    // A name with a wildcard in it would cover others, too.
    guard PlacePattern(parsing: ByteString(place.text)) == place, !place.hasWildcards else { return nil }
    self = place
  }
}
