import Bytes
import Keychain
import SecretService

/// A program's intention to use items.
final class Wish {
  let connection: String
  let items: [ServedItem]
  /// The call, prompt or portal request that it serves.
  let need: AnyObject
  /// Called after the decision, with the items that the program may use.
  let then: ([ServedItem]) -> Void

  init(
    _ connection: String, _ items: [ServedItem], for need: AnyObject, then: @escaping ([ServedItem]) -> Void
  ) {
    self.connection = connection
    self.items = items
    self.need = need
    self.then = then
  }
}

/// A pending question about a program.
final class ProgramQuestion {
  let caller: BusCaller
  let items: [ServedItem]
  let wish: Wish

  /// How many items one question may cover; it names all of them.
  static let itemLimit = 4

  init(_ caller: BusCaller, _ items: [ServedItem], for wish: Wish) {
    self.caller = caller
    self.items = items
    self.wish = wish
  }

  /// The question in one sentence. Each part that comes from others is quoted separately, with invisible characters and
  /// quotes escaped.
  var sentence: String {
    let who = caller.program.map(quoted) ?? "A program that can't be told"
    let process = caller.process.map { " (process \($0))" } ?? ""
    let sandbox = caller.isProxy ? ", for a program in a sandbox," : ""
    let named = items.map { item in
      let (label, key) = (item.shown.label, item.item?.key)
      let place = quoted(key?.place ?? "") + (key?.account.map { " of " + quoted($0.description) } ?? "")
      return label.isEmpty || label == key?.name ? place : "\(quoted(label)) (\(place))"
    }
    return "\(who)\(process)\(sandbox) wants to use \(named.joined(separator: ", "))."
  }

  /// The possible answers. A program that can't be recognized again can't be remembered.
  var words: [ProgramDecision] { caller.identity == nil ? [.once, .no] : ProgramDecision.allCases }

  private func quoted(_ text: String) -> String {
    // One character may consist of many scalars.
    let short = text.unicodeScalars.prefix(200)
    let cut = text.unicodeScalars.count > 200 ? "\(String(short))…" : text
    var quoted = "\""
    for scalar in showingInvisible(cut).unicodeScalars {
      if Self.isMisleading(scalar) {
        quoted += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Whether a character looks like a quote, or is blank but counts as visible.
  private static func isMisleading(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x27, 0x2019: false  // an apostrophe
    case 0x2ba, 0x2dd, 0x2ee, 0x2f5, 0x2f6, 0x5f4, 0x2033, 0x2036, 0x275d, 0x275e, 0x2800, 0x3003: true
    default: scalar.properties.isQuotationMark
    }
  }
}

extension Provider {
  /// How many questions may wait, for one program and for all.
  private static let questionLimit = (ofOne: 16, ofAll: 64)

  /// A function that tells whether a caller may use an item; `nil` if a person must be asked. Reads the remembered
  /// decisions once.
  func judge(of connection: String) -> (ServedItem) -> Bool? {
    guard let asking = settings.asking else { return { _ in true } }
    let remembered = asking.remembered()
    let caller = callers[connection]
    let now = SystemClock.awake
    return { [decisions] item in decisions.isAllowed(item, caller, remembered, now: now) }
  }

  /// Whether a caller may use an item; `nil` if a person must be asked.
  func isAllowed(_ item: ServedItem, _ connection: String) -> Bool? { judge(of: connection)(item) }

  func allowed(_ items: [ServedItem], _ connection: String) -> [ServedItem] {
    if settings.asking == nil { return items }
    let judge = judge(of: connection)
    return items.filter { judge($0) == true }
  }

  /// Asks about the undecided items, and continues with those that the caller may use; at once if there is nothing to
  /// ask.
  func permitting(_ wish: Wish) {
    let judge = judge(of: wish.connection)
    let undecided = wish.items.filter { judge($0) == nil }.prefix(ProgramQuestion.itemLimit)
    guard !undecided.isEmpty, let caller = callers[wish.connection], settings.asking?.askingProgram != nil,
      questions.count < Self.questionLimit.ofAll,
      questions.count(where: { $0.caller.group == caller.group }) < Self.questionLimit.ofOne
    else { return grant(wish) }
    questions.append(ProgramQuestion(caller, Array(undecided), for: wish))
    askNextQuestion()
  }

  private func grant(_ wish: Wish) { wish.then(allowed(wish.items, wish.connection)) }

  /// Continues with a call if its caller may use all of the items: at once, or after a person has agreed.
  ///
  /// - Parameters:
  ///   - need: the object that needs the answer, if not the call itself.
  ///   - body: answers the call. Errors that it throws at once are passed on.
  ///   - refuse: handles a refusal, or a later error of `body`; by default the call gets the error.
  func whenAllowed(
    _ items: [ServedItem], _ call: MethodCall, for need: AnyObject? = nil,
    _ body: @escaping () throws(ServiceError) -> Void,
    refuse: ((ServiceError) -> Void)? = nil
  ) throws(ServiceError) {
    try requireUnlocked(items)
    if allowed(items, call.sender).count == items.count { return try body() }
    permitting(
      Wish(call.sender, items, for: need ?? call) { [self] allowed in
        do throws(ServiceError) {
          try requireUnlocked()
          try requireUnlocked(items)
          if allowed.count < items.count { throw .accessDenied("nobody has allowed this program to use it") }
          try body()
        } catch {
          if let refuse { refuse(error) } else { call.refuse(error) }
        }
      })
  }

  private func requireUnlocked(_ items: [ServedItem]) throws(ServiceError) {
    for item in items { try requireUnlocked(item.collection) }
  }

  /// Lets a program use the items it has written, until somebody else changes them.
  func permitOwn(_ item: ServedItem, _ connection: String) {
    guard settings.asking != nil, let stored = item.item, let caller = callers[connection] else { return }
    decisions.note(stored, writtenBy: caller)
  }

  /// Whether a caller wrote the present contents of an item.
  func isOwn(_ item: Item, _ connection: String) -> Bool {
    callers[connection].map { decisions.isOwn(item, $0) } ?? false
  }

  /// Whether an item may be read or changed only in the state that was judged. The known state may be older than the
  /// stored one.
  var isExact: Bool { settings.asking != nil }

  /// How often a call is judged again before it is refused.
  private static let attempts = 8

  /// Judges a call again by the present contents of the keychain, because an item has changed since. Returns false if
  /// this has happened too often, or programs aren't asked about.
  func judgeAgain(_ call: MethodCall, _ again: (() -> Void)? = nil) -> Bool {
    guard isExact, call.attempts < Self.attempts else { return false }
    call.attempts += 1
    load { [self] in
      if let again { again() } else { handle(call) }
    }
    return true
  }

  private func askNextQuestion() {
    guard questionProgram == nil, let question = questions.first, let asker = settings.asking?.askingProgram
    else { return }
    // Another answer may have decided it.
    if question.items.allSatisfy({ isAllowed($0, question.caller.connection) != nil }) {
      questions.removeFirst()
      permitting(question.wish)
      return askNextQuestion()
    }
    questionProgram = ChildProgram(
      [asker.path] + question.words.map(\.rawValue), as: asker.name,
      input: SharedSecret(Secret(question.sentence)), readsOutput: true
    ) { [weak self] ending in
      self?.questionProgram = nil
      self?.take(ending.output, of: question)
    }
    if questionProgram == nil { take("", of: question) }
  }

  private func take(_ answer: String, of question: ProgramQuestion) {
    let isWanted = questions.first === question
    if isWanted { questions.removeFirst() }
    // Programs with many questions come after all others.
    let group = question.caller.group
    questions =
      questions.filter { $0.caller.group != group } + questions.filter { $0.caller.group == group }
    // It may have been withdrawn meanwhile.
    if !isWanted { return askNextQuestion() }
    let decision =
      question.words.first { answer == $0.rawValue + "\n" || answer == $0.rawValue } ?? .no
    let (caller, items) = (question.caller, question.items)
    let isRemembered = (decision == .always || decision == .never) && remember(question, decision)
    if decision.isPermission {
      decisions.allow(items, to: caller, forProgram: false)
      if decision == .session || decision == .always && !isRemembered {
        decisions.allow(items, to: caller, forProgram: true)
      }
    } else {
      let isForgotten = decision == .never && !isRemembered
      decisions.refuse(items, to: caller, forever: isForgotten, now: SystemClock.awake)
    }
    // Any other items become another question.
    if decision.isPermission { permitting(question.wish) } else { grant(question.wish) }
    askNextQuestion()
  }

  /// Stores an answer. Returns whether that was possible.
  private func remember(_ question: ProgramQuestion, _ decision: ProgramDecision) -> Bool {
    guard let program = question.caller.program, let asking = settings.asking else { return false }
    return asking.remember(
      question.items.compactMap { item in
        guard let stored = item.item, let reference = stored.reference else { return nil }
        return ProgramPermission(
          program: program, item: reference, mark: decision.isPermission ? item.mark : nil, name: stored.name)
      })
  }

  /// Answers all questions with no, because the keychain was locked.
  func refuseQuestions() {
    let waiting = questions
    questions = []
    questionProgram?.end()
    for question in waiting { grant(question.wish) }
  }

  /// Withdraws the questions of a connection that has left the bus.
  func withdrawQuestions(of connection: String) {
    withdrawQuestions { $0.caller.connection == connection }
  }

  /// Withdraws the questions of a need that is over.
  func withdrawQuestions(for need: AnyObject) { withdrawQuestions { $0.wish.need === need } }

  private func withdrawQuestions(where isWithdrawn: (ProgramQuestion) -> Bool) {
    let isShown = questions.first.map(isWithdrawn) ?? false
    questions.removeAll(where: isWithdrawn)
    if isShown { questionProgram?.end() }
  }
}
