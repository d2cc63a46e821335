import Keychain

extension SecretServiceKeychain {
  /// Runs `body` on an object, unlocking it first if necessary. KWallet doesn't refuse a call to a locked item: it
  /// returns an empty secret, and drops a new one.
  ///
  /// - Parameter changes: whether it changes the object. KeePassXC locks single items until somebody agrees to their
  ///   being read, but lets them be changed.
  func unlocking<Result: ~Copyable>(
    _ path: String, changes: Bool = false, _ body: () throws(BusFailure) -> Result
  ) throws(KeychainError) -> Result {
    let name = collectionName(of: path)
    let isItem = Self.collection(of: path) != path
    let mayBeLocked = try isItem ? storedItem(at: path).isLocked : false
    let isLocked = try mayBeLocked && changes ? isLocked(Self.collection(of: path)) : mayBeLocked
    if isLocked {
      try unlock(path, named: name)
    } else {
      do throws(BusFailure) {
        return try body()
      } catch {
        if error.isAboutMissingObject { throw .itemNotFound }
        if !error.isAboutLock { throw error.keychainError }
      }
      try unlock(path, named: name)
    }
    do throws(BusFailure) {
      return try body()
    } catch {
      if error.isAboutMissingObject { throw .itemNotFound }
      // The service claimed that it was unlocked, but it is still locked.
      throw error.isAboutLock ? .collectionLocked(name) : error.keychainError
    }
  }

  private func unlock(_ path: String, named name: String) throws(KeychainError) {
    try unlock([path], named: name)
    try retakeLock(for: nil, except: nil)
    seen[path] = nil
  }

  /// The same for a change of the object.
  func sending<Result: ~Copyable>(
    _ path: String, _ body: () throws(BusFailure) -> Result
  ) throws(KeychainError) -> Result {
    let result = try unlocking(path, changes: true, body)
    hasSent = true
    return result
  }

  /// Makes sure that a change was made: KWallet may have been locked since the item was looked at.
  ///
  /// - Throws: ``KeychainError/collectionLocked(_:)``
  func refuseLocked(afterChangeAt path: String) throws(KeychainError) {
    guard service.product == .kWallet else { return }
    if try isLocked(Self.collection(of: path)) { throw .collectionLocked(collectionName(of: path)) }
  }

  /// Unlocks objects, through a prompt if the service wants one, and makes sure that they are unlocked.
  ///
  /// Nobody is asked while the lock is held. Before the first change was sent, the holder of the lock must start again
  /// after the answer; later, the lock is just released meanwhile.
  ///
  /// - Throws: ``KeychainError/collectionLocked(_:)`` or ``KeychainError/itemLocked(collection:)`` if nobody may be
  ///   asked, the person declined, or they are still locked.
  func unlock(_ paths: [String], named name: String) throws(KeychainError) {
    let path = try reporting(service.unlock(paths))
    guard let path else { return try refuseLocked(paths, named: name) }
    let prompt = UnlockingPrompt(path: path, objects: paths, name: name)
    guard let heldLock, settings.mayPrompt || settings.password != nil else {
      return try unlock(through: prompt)
    }
    if !hasSent {
      postponedPrompt = prompt
      throw .collectionLocked(name)
    }
    heldLock.release()
    try unlock(through: prompt)
  }

  func unlock(through prompt: UnlockingPrompt) throws(KeychainError) {
    if try unlockWithPassword(prompt) { return try refuseLocked(prompt.objects, named: prompt.name) }
    do throws(KeychainError) {
      try show(prompt.path, named: prompt.name)
    } catch .collectionLocked {
      throw lockError(prompt.objects, named: prompt.name)
    }
    try refuseLocked(prompt.objects, named: prompt.name)
  }

  /// Runs a prompt whose result isn't needed.
  ///
  /// - Throws: ``KeychainError/collectionLocked(_:)`` if nobody may be asked, or the person declined.
  func show(_ prompt: String, named name: String) throws(KeychainError) {
    if !settings.mayPrompt {
      service.dismiss(prompt: prompt)
      throw .collectionLocked(name)
    }
    let outcome = try reporting(service.run(prompt: prompt, onWaiting: tellOfPrompt))
    if case .dismissed = outcome { throw .collectionLocked(name) }
  }

  /// Throws if one of the objects is locked, whatever the service or its prompt claims.
  private func refuseLocked(_ paths: [String], named name: String) throws(KeychainError) {
    for path in paths {
      let isLocked: Bool
      if Self.collection(of: path) == path {
        isLocked = try self.isLocked(path)
      } else {
        let items = try reporting(service.items(at: [path]))
        isLocked = items.first?.isLocked ?? false
      }
      if isLocked { throw lockError(paths, named: name) }
    }
  }

  private func lockError(_ paths: [String], named name: String) -> KeychainError {
    // KeePassXC locks individual items until somebody agrees to their being read.
    let isAboutItems = paths.allSatisfy { path in
      let collection = Self.collection(of: path)
      return collection != path && (try? isLocked(collection)) == false
    }
    return isAboutItems ? .itemLocked(collection: name) : .collectionLocked(name)
  }

  /// The path of a collection, or of the collection of an item.
  static func collection(of path: String) -> String {
    path.split(separator: "/").prefix(5).map { "/" + $0 }.joined()
  }

  /// Runs the prompt for a service's call, and returns the call's result.
  ///
  /// The prompt may complete by itself or ask somebody, so the lock is released if it takes a while.
  ///
  /// - Parameter onDismissed: receives the result that came with the dismissal.
  /// - Throws: ``KeychainError/refused(call:error:detail:)`` if the prompt was dismissed.
  func run(
    prompt: String, for call: String, onDismissed: (Variant) -> Void = { _ in }
  ) throws(KeychainError) -> Variant {
    // KeePassXC's prompts complete by themselves, so they are run even if nobody may be asked.
    let limit = settings.mayPrompt ? nil : settings.callTimeout
    let outcome: Service.PromptOutcome
    do throws(BusFailure) {
      outcome = try service.run(prompt: prompt, limit: limit) {
        heldLock?.release()
        tellOfPrompt()
      }
    } catch {
      guard limit != nil, case .noAnswer = error.reason else { throw error.keychainError }
      throw .refused(call: call, error: "", detail: "it wants to ask you, and no questions are allowed")
    }
    switch outcome {
    case .completed(let answer): return answer
    case .dismissed(let answer):
      onDismissed(answer)
      throw .refused(call: call, error: "", detail: "its prompt was dismissed")
    }
  }

  /// Takes the lock again if it was released while somebody was asked. Others may have changed items meanwhile.
  ///
  /// - Throws: ``KeychainError/duplicateItem`` if another item has the item's primary key by now.
  func retakeLock(for item: Item?, except reference: ItemReference?) throws(KeychainError) {
    guard let heldLock, heldLock.isReleased else { return }
    try heldLock.take()
    seen = [:]
    if let item { try refuseTwin(of: item, except: reference) }
  }

  func tellOfPrompt() {
    settings.onNotice(.prompting(program: service.process()?.program))
  }
}

/// A prompt of the service for unlocking.
struct UnlockingPrompt {
  let path: String
  let objects: [String]
  let name: String
}
