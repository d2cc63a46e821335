import Bytes
import CLinux
import CSecret
import Glibc
import Keychain
package import SecretService
import System

/// What is to be done with the result of something that the keychain does beside the main thread.
final class Ending<Value>: @unchecked Sendable {
  // Unchecked is sound: the main thread alone uses it.
  let finish: (Value) -> Void
  let refuse: (ServiceError) -> Void
  /// What is done in place of the call itself if it has to be judged anew.
  let again: (() -> Void)?
  init(
    _ finish: @escaping (Value) -> Void, refuse: @escaping (ServiceError) -> Void, again: (() -> Void)? = nil
  ) {
    (self.finish, self.refuse, self.again) = (finish, refuse, again)
  }
}

/// The Secret Service, served from a keychain.
package final class Provider: @unchecked Sendable {
  // Unchecked is sound: the main thread alone uses it. Other threads carry references to it back there.

  /// The name that programs call the service by.
  static let name = "org.freedesktop.secrets"
  /// The name by which llavero knows its own service, so that it never asks itself.
  package static let ownName = SecretServiceKeychain.ownServiceName

  let settings: ProviderSettings
  private(set) var connection: ProviderConnection!
  let sessions = Sessions()
  var holdings = Holdings()
  /// What is kept in memory alone, by path.
  var volatileSecrets: [String: SharedSecret] = [:]
  var callers = Callers()
  var decisions = ProgramDecisions()
  var questions: [ProgramQuestion] = []
  /// The program that asks the first of the questions.
  var questionProgram: ChildProgram?
  var prompts = Prompts()
  var heldSearches = HeldSearches()
  var portalRequests = PortalRequests()
  /// Writes what sandboxed programs get.
  let portalThread = OwnThread()
  private var changeLines = ChangeLines()
  var lockedSearches: [String: LockedSearch] = [:]
  var lockedSearchPaths: [String: [String]] = [:]
  private var lastLockedSearch = 0
  var unlockProgram: ChildProgram?
  /// Counts the programs that were started to ask.
  var lastUnlockProgram = 0
  /// Read secrets.
  let readers: KeychainThreads
  /// Ask for what a person may have to allow.
  let askers: KeychainThreads
  /// Makes changes.
  let writer: KeychainThread
  /// Looks what there is. It is the writer where that knows what it has changed itself. Elsewhere a change may wait for
  /// a person, which must not keep searches waiting.
  let looker: KeychainThread
  /// What waits for the keychain, but not for ever.
  var heldCalls = HeldCalls()
  /// What waits for a look at the file.
  var callsBeforeLook = CallsBeforeLook()
  /// How many looks have begun.
  private(set) var looksBegun = 0
  /// When the last of them did.
  private(set) var lookBegan: Int?
  /// When the last look began that has found out what there is; `nil` if the keychain could not be used since.
  var lastLook: Int?
  /// The state that the keychain was in when the last look began, or a later one; see ``ProviderSettings/presentState``.
  private(set) var knownState: [UInt8]?
  /// The paths of what has been changed since the present look began.
  private var changedSinceLook: Set<String> = []
  /// What a person has allowed for a short time, by path.
  var allowedOnce: [String: AllowedOnce] = [:]
  /// The error that was told last.
  private var toldError: KeychainError?
  private var subscription: ChangeSubscription?
  private var loginWatch: LoginWatch?
  private var isOver = false
  private var status: Int32 = 0

  /// Whether the keychain is known, locked or broken.
  enum State {
    /// Everything that it has is known.
    case unlocked
    case locked
    case unusable(KeychainError)
  }
  private(set) var state = State.locked
  /// The collections that are locked alone, while the keychain is open.
  var lockedCollections: Set<ByteString> = []
  private(set) var isLoading = false
  private var mustLoadAgain = false
  var whenLoaded: [() -> Void] = []
  /// When a program last called, in milliseconds.
  private var lastCall = SystemClock.awake
  /// Whether what only calls need is out of the memory.
  private var isAtRest = false
  /// After which time without a call that is so, in milliseconds.
  private static let restTime = 3000
  /// Whether a program's passphrase is being tried.
  var isTryingPassphrase = false

  /// The collection in memory alone, which is gone with the service.
  static let sessionCollection: ByteString = "session"

  private init(_ settings: ProviderSettings) {
    self.settings = settings
    readers = KeychainThreads(settings.readers, settings.open)
    askers = KeychainThreads(settings.readers, settings.open)
    writer = KeychainThread(settings.open)
    looker = settings.freshness == nil ? writer : KeychainThread(settings.open)
  }

  /// Serves until a signal, the end of the bus or another program ends that.
  ///
  /// - Returns: 0, or 2 if the name belongs to another program.
  /// - Throws: ``BusFailure`` if there is no bus.
  package static func serve(_ settings: ProviderSettings) throws(BusFailure) -> Int32 {
    try Provider(settings).run()
  }

  private func run() throws(BusFailure) -> Int32 {
    connection = try ProviderConnection(
      settings.busAddress,
      ProviderConnection.Events(
        onCall: { [unowned self] call in receive(call) },
        onDeparture: { [unowned self] name in afterCalls(of: name) { [unowned self] in forget(name) } },
        onLoss: { [unowned self] name in
          guard name == Self.name, !isOver else { return }
          settings.say("another program provides the Secret Service from now on")
          end(0)
        },
        onEnd: { [unowned self] in end(0) }))
    for number in [SIGTERM, SIGINT, SIGHUP] { MainLoop.onSignal(number) { [unowned self] in end(0) } }
    sessions.prepare()
    holdings = withoutKeychain()
    if settings.freshness == nil {
      // Everything has to be there before anybody can find the service.
      update()
      MainLoop.run { !isLoading || isOver }
      watch()
    } else {
      // Each call looks for itself. The first look may take long, and the bus doesn't wait for it.
      state = .unlocked
      load()
    }
    guard try claimNames() else { return 2 }
    settings.onServing()
    settings.say("the Secret Service is served from the keychain")
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

  /// Takes the name of the Secret Service, and llavero's own before it: whoever finds the service asks at the same time
  /// whether it is llavero.
  ///
  /// - Returns: `false` if another program keeps the service's name.
  private func claimNames() throws(BusFailure) -> Bool {
    var others: [String] = []
    // The bus gives one back to whoever it was taken from, if this process ends before it has the service's name.
    for name in [settings.furtherName, Self.ownName].compactMap(\.self)
    where try connection.claim(name, replaces: settings.replaces, waits: true) == .isTaken {
      others.append(name)
    }
    guard try connection.claim(Self.name, replaces: settings.replaces) == .isOurs else { return false }
    for name in others { _ = try connection.claim(name, replaces: true, waits: true) }
    return true
  }

  private func end(_ status: Int32) {
    self.status = status
    isOver = true
  }

  // MARK: The keychain's state

  /// What is in memory alone.
  private func withoutKeychain() -> Holdings {
    var all = Holdings()
    for (path, item) in holdings.items where volatileSecrets[path] != nil { all.put(item) }
    all.addSessionCollection(Self.sessionCollection)
    return all
  }

  /// Looks whether the keychain has been locked or unlocked, and does what follows from that.
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
      settings.say(settings.explain(error))
    }
  }

  /// Takes note of a call.
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
    // Somebody has unlocked it elsewhere, while a program waits for that.
    if !isLocked, !isPassphraseNeeded {
      if prompts.hasShown { completeShown() }
      // What it asks has been answered.
      unlockProgram?.end()
      unlockProgram = nil
    }
  }

  private func becomeLocked() {
    if case .locked = state, holdings.items.values.allSatisfy({ $0.item == nil }) { return }
    let before = holdings
    state = .locked
    lockedCollections = []
    decisions.removePermissions()
    // What is locked is not known to this process either.
    holdings = withoutKeychain()
    readers.forget()
    writer.forget()
    signalLock(true, before)
    refuseQuestions()
  }

  /// Reads everything in the keychain again, and signals what is different.
  ///
  /// - Parameter isSkippable: whether that isn't needed if this process itself has changed it last. To read all items
  ///   after each of its own changes would take longer than the changes.
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
          if toldError != error { settings.say(settings.explain(error)) }
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
    // It may have been locked while it was read.
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

  /// Takes note that an object isn't any more as the present look may see it.
  func noteChange(at path: String) {
    // On one thread, what is read after a change has it.
    if isLoading, looker !== writer { changedSinceLook.insert(path) }
  }

  // MARK: Changes

  /// Makes a change in the keychain that a program asks for, after those before it. So each sees what the ones before
  /// have made, and none is lost.
  ///
  /// - Parameters:
  ///   - prepare: finds out what is to be done, by the state that is there when it is this change's turn.
  ///   - finish: answers the call.
  ///   - refuse: what is done if the change fails; otherwise the call gets the error.
  ///   - again: what is done if the item isn't any more as it was judged; otherwise the call is handled from the start.
  func change<Value: Sendable>(
    _ call: MethodCall,
    prepare:
      @escaping () throws(ServiceError) -> @Sendable (any KeychainStore) throws(KeychainError) -> Value,
    finish: @escaping (Value) -> Void, refuse: ((ServiceError) -> Void)? = nil, again: (() -> Void)? = nil
  ) throws(ServiceError) {
    let ending = Ending(finish, refuse: refuse ?? { call.refuse($0) }, again: again)
    try changeLines.add(
      { [self] in
        let body: @Sendable (any KeychainStore) throws(KeychainError) -> Value
        do throws(ServiceError) {
          body = try prepare()
        } catch {
          ending.refuse(error)
          return changeIsDone()
        }
        writer.run(
          body,
          then: { [self] result in
            switch result {
            case .success(let value): ending.finish(value)
            case .failure(.itemNotFound) where judgeAgain(call, ending.again): break
            case .failure(let error): ending.refuse(ServiceError(error, explain: settings.explain))
            }
            changeIsDone()
          })
      }, of: call.sender)
    if !changeLines.isBusy { changeIsDone() }
  }

  private func changeIsDone() {
    changeLines.isBusy = false
    guard let next = changeLines.next() else { return }
    changeLines.isBusy = true
    next()
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
        settings.say("what others change is seen late: \(settings.explain(error))")
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
    case .unusable(let error): throw ServiceError(unusable: error, explain: settings.explain)
    }
  }

  var isLocked: Bool { if case .locked = state { true } else { false } }

  // MARK: Callers

  /// Ends everything that belonged to a connection.
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
    if !prompts.hasShown {
      unlockProgram?.end()
      unlockProgram = nil
    }
  }

  /// An object that stands for what a search in a locked keychain would find.
  func standIn(for search: LockedSearch) -> String {
    lastLockedSearch += 1
    let path = ObjectPath.item(
      ByteString("locked\(lastLockedSearch)"), in: search.collection ?? Holdings.loginCollection)
    lockedSearches[path] = search
    var paths = lockedSearchPaths[search.owner, default: []]
    paths.append(path)
    // Whoever asks again and again gets new ones, and loses the oldest.
    if paths.count > 64 { lockedSearches[paths.removeFirst()] = nil }
    lockedSearchPaths[search.owner] = paths
    return path
  }
}
