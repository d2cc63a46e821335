import Keychain

extension SecretServiceKeychain {
  /// Does something with an object, and once more when it has been unlocked because it was locked.
  func unlocking<Result: ~Copyable>(
    _ path: String, _ body: () throws(BusFailure) -> Result
  ) throws(KeychainError) -> Result {
    do throws(BusFailure) {
      return try body()
    } catch {
      if error.isAboutMissingObject { throw .itemNotFound }
      if !error.isAboutLock { throw error.keychainError }
    }
    let name = collectionName(of: path)
    try unlock([path], named: name)
    try retakeLock(for: nil, except: nil)
    do throws(BusFailure) {
      return try body()
    } catch {
      // Called unlocked, and locked all the same.
      throw error.isAboutLock ? .collectionLocked(name) : error.keychainError
    }
  }

  /// The same for something that changes the object.
  func sending<Result: ~Copyable>(
    _ path: String, _ body: () throws(BusFailure) -> Result
  ) throws(KeychainError) -> Result {
    let result = try unlocking(path, body)
    hasSent = true
    return result
  }

  /// Unlocks objects, through a prompt where the service wants one, and makes sure that they are unlocked.
  ///
  /// Nobody is asked while the lock is held. Before the service has been told of any change, whoever holds the lock has
  /// to begin anew when the person has answered; afterwards the lock is released meanwhile.
  ///
  /// - Throws: ``KeychainError/collectionLocked(_:)`` or ``KeychainError/itemLocked(collection:)`` if nobody may be asked,
  ///   whoever was declined, or they are locked all the same.
  func unlock(_ paths: [String], named name: String) throws(KeychainError) {
    let path = try reporting(service.unlock(paths))
    guard let path else { return try refuseLocked(paths, named: name) }
    let prompt = UnlockingPrompt(path: path, objects: paths, name: name)
    guard let heldLock, settings.mayPrompt else { return try unlock(through: prompt) }
    if !hasSent {
      postponedPrompt = prompt
      throw .collectionLocked(name)
    }
    heldLock.release()
    try unlock(through: prompt)
  }

  /// Runs the prompt that the service has for unlocking something.
  func unlock(through prompt: UnlockingPrompt) throws(KeychainError) {
    do throws(KeychainError) {
      try show(prompt.path, named: prompt.name)
    } catch .collectionLocked {
      throw lockError(prompt.objects, named: prompt.name)
    }
    try refuseLocked(prompt.objects, named: prompt.name)
  }

  /// Runs a prompt of which nothing but its success is of interest.
  ///
  /// - Throws: ``KeychainError/collectionLocked(_:)`` if nobody may be asked, or whoever was declined.
  func show(_ prompt: String, named name: String) throws(KeychainError) {
    if !settings.mayPrompt {
      service.dismiss(prompt: prompt)
      throw .collectionLocked(name)
    }
    let outcome = try reporting(service.run(prompt: prompt, onWaiting: tellOfPrompt))
    if case .dismissed = outcome { throw .collectionLocked(name) }
  }

  /// Throws if one of the objects is locked, whatever a service or its prompt says of it.
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
    // KeePassXC locks single items until somebody has agreed to their being read.
    let isAboutItems = paths.allSatisfy { path in
      let collection = Self.collection(of: path)
      return collection != path && (try? isLocked(collection)) == false
    }
    return isAboutItems ? .itemLocked(collection: name) : .collectionLocked(name)
  }

  /// The path of a collection, or of the one that an item is in.
  static func collection(of path: String) -> String {
    path.split(separator: "/").prefix(5).map { "/" + $0 }.joined()
  }

  /// Runs the prompt that a service has for a call in place of just doing it, and returns what the call would have.
  ///
  /// It may be that it completes by itself, or that it asks somebody. So the lock is released when that takes a while.
  ///
  /// - Parameter onDismissed: gets what came with the dismissal.
  /// - Throws: ``KeychainError/refused(call:error:detail:)`` if it was dismissed.
  func run(
    prompt: String, for call: String, onDismissed: (Variant) -> Void = { _ in }
  ) throws(KeychainError) -> Variant {
    // KeePassXC's complete by themselves, so they are run also where nobody may be asked.
    let limit = settings.mayPrompt ? nil : settings.callTimeout
    let outcome: Service.PromptOutcome
    do throws(BusFailure) {
      outcome = try service.run(prompt: prompt, limit: limit) {
        heldLock?.release()
        tellOfPrompt()
      }
    } catch {
      guard limit != nil, case .noAnswer = error.reason else { throw error.keychainError }
      throw .refused(call: call, error: "", detail: "it wants to ask somebody, and nobody may be asked")
    }
    switch outcome {
    case .completed(let answer): return answer
    case .dismissed(let answer):
      onDismissed(answer)
      throw .refused(call: call, error: "", detail: "its prompt was dismissed")
    }
  }

  /// Takes the lock where it was released for somebody to be asked. Others may have changed items meanwhile.
  ///
  /// - Throws: ``KeychainError/duplicateItem`` if one of them has the item's primary key now.
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

/// A prompt of the service for unlocking something.
struct UnlockingPrompt {
  let path: String
  /// What it unlocks.
  let objects: [String]
  /// The collection's name.
  let name: String
}
