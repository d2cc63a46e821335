import Bytes
import CLinux
import CSecret
import Glibc
import Keychain
import SecretService
import ToolCommands

/// The Secret Service, served from a keychain.
final class Provider: @unchecked Sendable {
  // Unchecked is sound: only the main thread uses it. Other threads just carry references back there.

  let settings: ProviderSettings
  private(set) var connection: ProviderConnection!
  let sessions = Sessions()
  var holdings = Holdings()
  var volatileSecrets: [String: SharedSecret] = [:]
  var callers = BusCallers()
  var decisions = ProgramDecisions()
  var questions: [ProgramQuestion] = []
  /// The program that asks the first question.
  var questionProgram: ChildProgram?
  var prompts = Prompts()
  var heldSearches = HeldSearches()
  var portalRequests = PortalRequests()
  /// Writes the secrets of sandboxed programs.
  let portalThread = OwnThread()
  private var changeLines = ChangeLines()
  private var isChanging = false
  var lockedSearches: [String: LockedSearch] = [:]
  var lockedSearchPaths: [String: [String]] = [:]
  private var lastLockedSearch = 0
  var unlockProgram: ChildProgram?
  /// Counts the programs started to unlock.
  var lastUnlockProgram = 0
  let readers: KeychainThreads
  /// For requests that a person may have to allow.
  let askers: KeychainThreads
  let writer: KeychainThread
  /// For looking up items. The same as the writer if that knows its own changes; elsewhere a change may wait for a
  /// person, and must not hold up searches.
  let looker: KeychainThread
  var heldCalls = HeldCalls()
  var callsBeforeLook = CallsBeforeLook()
  private(set) var looksBegun = 0
  private(set) var lookBegan: Int?
  /// When the last successful look began; `nil` if the keychain has been unusable since.
  var lastLook: Int?
  /// The keychain's state when the last look began, or later; see ``ProviderSettings/presentState``.
  private(set) var knownState: [UInt8]?
  /// The paths of objects changed since the present look began.
  private var changedSinceLook: Set<String> = []
  var allowedOnce: [String: AllowedOnce] = [:]
  private var toldError: KeychainError?
  private var subscription: ChangeSubscription?
  private var loginWatch: LoginWatch?
  private var isOver = false
  private var status: Int32 = 0

  enum State {
    /// Its items are known.
    case unlocked
    case locked
    case unusable(KeychainError)
  }
  private(set) var state = State.locked
  /// The collections locked individually, while the keychain is open.
  var lockedCollections: Set<ByteString> = []
  private(set) var isLoading = false
  private var mustLoadAgain = false
  var whenLoaded: [() -> Void] = []
  /// When a program last called, in milliseconds.
  private var lastCall = SystemClock.awake
  /// Whether data that only calls need has been freed.
  private var isAtRest = false
  /// How long without a call until that is freed, in milliseconds.
  private static let restTime = 3000
  var isTryingPassphrase = false

  private init(_ settings: ProviderSettings) {
    self.settings = settings
    readers = KeychainThreads(settings.readers, settings.open)
    askers = KeychainThreads(settings.readers, settings.open)
    writer = KeychainThread(settings.open)
    looker = settings.freshness == nil ? writer : KeychainThread(settings.open)
  }

  /// Serves until a signal, the end of the bus or another program ends it.
  ///
  /// - Returns: 0, or 2 if the name belongs to another program.
  /// - Throws: ``BusFailure`` if there is no bus.
  static func serve(_ settings: ProviderSettings) throws(BusFailure) -> Int32 {
    try Provider(settings).run()
  }

  private func run() throws(BusFailure) -> Int32 {
    connection = try ProviderConnection(
      settings.busAddress,
      ProviderConnection.Events(
        onCall: { [unowned self] call in receive(call) },
        onDeparture: { [unowned self] name in afterCalls(of: name) { [unowned self] in forget(name) } },
        onLoss: { [unowned self] name in
          guard name == BusName.service, !isOver else { return }
          StandardStreams.say("another program provides the Secret Service from now on")
          end(0)
        },
        onEnd: { [unowned self] in end(0) }))
    for number in [SIGTERM, SIGINT, SIGHUP] { MainLoop.onSignal(number) { [unowned self] in end(0) } }
    sessions.prepare()
    holdings = withoutKeychain()
    if settings.freshness == nil {
      // Everything must be ready before anybody can find the service.
      update()
      MainLoop.run { !isLoading || isOver }
      watch()
    } else {
      // Each call looks for itself. The first look may be slow, and the bus doesn't wait for it.
      state = .unlocked
      load()
    }
    guard try claimNames() else { return 2 }
    settings.onServing()
    StandardStreams.say("the Secret Service is served from the keychain")
    loginWatch = LoginWatch { [unowned self] in
      _ = settings.lock()
      update()
    }
    MainLoop.every(milliseconds: 500) { [unowned self] in tick() }
    MainLoop.run { isOver }
    unlockProgram?.end()
    questionProgram?.end()
    unlockProgram?.waitForEnd()
    questionProgram?.waitForEnd()
    connection.flush()
    return status
  }

  /// Takes llavero's own name, then the Secret Service's: programs that find the service ask at once whether it is
  /// llavero. Returns `false` if another program keeps the service's name.
  private func claimNames() throws(BusFailure) -> Bool {
    var others: [String] = []
    // If this process ends before it has the service's name, the bus returns a name to its former owner.
    for name in [settings.furtherName, BusName.own].compactMap(\.self)
    where try connection.claim(name, replaces: settings.replaces, waits: true) == .isTaken {
      others.append(name)
    }
    guard try connection.claim(BusName.service, replaces: settings.replaces) == .isOurs else { return false }
    for name in others { _ = try connection.claim(name, replaces: true, waits: true) }
    return true
  }

  private func end(_ status: Int32) {
    self.status = status
    isOver = true
  }

  // MARK: The keychain's state

  private func withoutKeychain() -> Holdings {
    var all = Holdings()
    for (path, item) in holdings.items where volatileSecrets[path] != nil { all.put(item) }
    all.addSessionCollection()
    return all
  }

  /// Checks whether the keychain was locked or unlocked, and acts on that.
  func update() {
    if settings.freshness != nil { return }
    switch settings.lockState() {
    case .unlocked:
      if case .unlocked = state { return }
      load()
    case .locked:
      if case .locked = state { return }
      becomeLocked()
    case .unusable(let error):
      if case .unusable = state { return }
      state = .unusable(error)
      StandardStreams.say("\(error.message)")
    }
  }

  func noteCall() {
    lastCall = SystemClock.awake
    isAtRest = false
  }

  private func tick() {
    if !isAtRest, SystemClock.awake - lastCall > Self.restTime {
      isAtRest = true
      malloc_trim(0)
      clinux_release_code()
    }
    if let idle = settings.idle, case .unlocked = state, SystemClock.awake - lastCall > idle * 1000 {
      _ = settings.lock()
    }
    update()
    answerOverdueSearches()
    heldCalls.refuseOverdue(now: SystemClock.awake)
    endStuckLook()
    closeUnused()
    // It was unlocked elsewhere, while a program waits for that.
    if !isLocked, !isPassphraseNeeded {
      if prompts.hasShown { completeShown() }
      // Its question has been answered.
      endUnlockProgram()
    }
  }

  private func becomeLocked() {
    if case .locked = state, holdings.items.values.allSatisfy({ $0.item == nil }) { return }
    let before = holdings
    state = .locked
    lockedCollections = []
    decisions.removePermissions()
    // This process forgets locked items, too.
    holdings = withoutKeychain()
    readers.forget()
    writer.forget()
    signalLock(true, before)
    refuseQuestions()
  }

  /// Reads the keychain again, and announces the differences.
  ///
  /// - Parameter isSkippable: whether to skip that if the last change was this process's own. Reading all items after
  ///   each would take longer than the changes.
  func load(unlessOwn isSkippable: Bool = false, then done: (() -> Void)? = nil) {
    if let done { whenLoaded.append(done) }
    if isLoading {
      mustLoadAgain = true
      return
    }
    isLoading = true
    mustLoadAgain = false
    changedSinceLook = []
    looksBegun += 1
    let (start, present) = (SystemClock.awake, settings.presentState())
    lookBegan = start
    let (isSeen, readAll) = (settings.isAsSeen, settings.readAll)
    looker.run { (keychain) throws(KeychainError) -> [Item]? in
      if isSkippable, isSeen(keychain) { return nil }
      return try readAll(keychain)
    } then: { [self] result in
      isLoading = false
      knownState = present
      switch result {
      case .success(let items?):
        lastLook = start
        toldError = nil
        loaded(items)
      case .success(nil): break
      case .failure(let error):
        lastLook = nil
        switch settings.lockState() {
        case .locked: becomeLocked()
        default:
          state = .unusable(error)
          if toldError != error { StandardStreams.say("\(error.message)") }
          toldError = error
        }
      }
      let waiting = whenLoaded
      whenLoaded = []
      for job in waiting { job() }
      endLook()
      if mustLoadAgain { load(unlessOwn: true) }
    }
  }

  private func loaded(_ items: [Item]) {
    // It may have been locked during the reading.
    guard case .unlocked = settings.lockState() else { return becomeLocked() }
    forgetListed(items)
    let differences = holdings.take(items, leaving: changedSinceLook, keeping: unlistedPaths())
    lockedCollections.subtract(differences.goneCollections)
    if case .unlocked = state {
      signal(differences)
    } else {
      state = .unlocked
      if connection != nil { signalLock(false, holdings) }
    }
  }

  /// Notes that an object has changed since the present look began.
  func noteChange(at path: String) {
    // On one thread, reading after a change sees it.
    if isLoading, looker !== writer { changedSinceLook.insert(path) }
  }

  // MARK: Changes

  /// Makes a program's change in the keychain, after those before it, so that each sees the earlier ones and none is
  /// lost. Changes that wait at the same time and don't depend on each other are one write. Each is answered when it is
  /// on the disk.
  ///
  /// - Parameters:
  ///   - subject: what it is about.
  ///   - prepare: determines the change from the state when its turn comes.
  ///   - finish: answers the call.
  ///   - refuse: handles a failure; by default the call gets the error.
  ///   - again: called if the item has changed since it was judged; by default the call is handled from the start.
  func change<Value: Sendable>(
    _ call: MethodCall, of subject: ChangeSubject = .all,
    prepare:
      @escaping () throws(ServiceError) -> @Sendable (any KeychainStore) throws(KeychainError) -> Value,
    finish: @escaping (Value) -> Void, refuse: ((ServiceError) -> Void)? = nil, again: (() -> Void)? = nil
  ) throws(ServiceError) {
    let refuse = refuse ?? { call.refuse($0) }
    let change = WaitingChange(subject: subject) { [self] in
      let body: @Sendable (any KeychainStore) throws(KeychainError) -> Value
      do throws(ServiceError) {
        body = try prepare()
      } catch {
        refuse(error)
        return nil
      }
      let outcome = ChangeOutcome<Value>()
      return PreparedChange { keychain in
        do throws(KeychainError) {
          outcome.result = .success(try body(keychain))
        } catch {
          outcome.result = .failure(error)
        }
      } report: { [self] failure in
        switch failure.map({ .failure($0) }) ?? outcome.result {
        case .success(let value): finish(value)
        case .failure(.itemNotFound) where judgeAgain(call, again): break
        case .failure(let error): refuse(ServiceError(error))
        case nil: break
        }
      }
    }
    try changeLines.add(change, of: call.sender)
    if !isChanging { makeNextChanges() }
  }

  /// The most changes of one write. Another machine's keychain makes each at once, so it gets them one by one.
  private var changesOfOneWrite: Int { settings.freshness == nil ? ChangeLines.limit : 1 }

  private func makeNextChanges() {
    isChanging = true
    var prepared: [PreparedChange] = []
    while prepared.isEmpty {
      let next = changeLines.next(atMost: changesOfOneWrite)
      if next.isEmpty { return isChanging = false }
      prepared = next.compactMap { $0.prepare() }
    }
    writer.run(
      { [bodies = prepared.map(\.make)] (keychain) throws(KeychainError) in
        if bodies.count == 1 { return bodies[0](keychain) }
        do throws(KeychainError) {
          // Each undoes what it has done if it fails.
          try keychain.exclusively { () throws(KeychainError) in for body in bodies { body(keychain) } }
        } catch .tooLarge {
          // Nothing is written then, and some may fit.
          for body in bodies { body(keychain) }
        }
      },
      then: { [self, prepared] result in
        var failure: KeychainError?
        if case .failure(let error) = result { failure = error }
        for change in prepared { change.report(failure) }
        // It may have been locked during the write.
        if isLocked { becomeLocked() }
        makeNextChanges()
      })
  }

  private func watch() {
    writer.run { (keychain) throws(KeychainError) in
      try keychain.reportingChanges().onChange { [weak self] in
        guard let self else { return }
        MainLoop.post { self.somethingHasChanged() }
      }
    } then: { [self] result in
      switch result {
      case .success(let subscription): self.subscription = subscription
      case .failure(let error):
        StandardStreams.say("changes by others are seen late: \(error.message)")
        MainLoop.every(milliseconds: 5000) { [unowned self] in somethingHasChanged() }
      }
    }
  }

  private func somethingHasChanged() {
    if case .unlocked = state { load(unlessOwn: true) } else { update() }
  }

  /// Throws unless the keychain's items are known.
  func requireUnlocked() throws(ServiceError) {
    switch state {
    case .unlocked: return
    case .locked: throw .isLocked
    case .unusable(let error): throw ServiceError(unusable: error)
    }
  }

  var isLocked: Bool { if case .locked = state { true } else { false } }

  // MARK: Callers

  private func forget(_ name: String) {
    sessions.end(of: name)
    callers.remove(name)
    decisions.remove(name)
    withdrawQuestions(of: name)
    prompts.remove(of: name)
    heldSearches.remove(of: name)
    heldCalls.remove(of: name)
    portalRequests.remove(of: name)
    changeLines.remove(of: name)
    for path in lockedSearchPaths.removeValue(forKey: name) ?? [] { lockedSearches[path] = nil }
    if !prompts.hasShown { endUnlockProgram() }
  }

  /// An object that stands for the results of a search in a locked keychain.
  func standIn(for search: LockedSearch) -> String {
    lastLockedSearch += 1
    let path = ObjectPath.item(
      ByteString("locked\(lastLockedSearch)"), in: search.collection ?? CollectionName.login)
    lockedSearches[path] = search
    var paths = lockedSearchPaths[search.owner, default: []]
    paths.append(path)
    // A program that keeps asking gets new ones, and loses the oldest.
    if paths.count > 64 { lockedSearches[paths.removeFirst()] = nil }
    lockedSearchPaths[search.owner] = paths
    return path
  }
}
