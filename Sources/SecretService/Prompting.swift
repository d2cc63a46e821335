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
    do throws(KeychainError) {
      try unlock([path], named: name)
    } catch .collectionLocked {
      // KeePassXC locks single items until somebody has agreed to their being read.
      let collection = path.split(separator: "/").prefix(5).map { "/" + $0 }.joined()
      if collection != path, !(try isLocked(collection)) { throw .itemLocked(collection: name) }
      throw .collectionLocked(name)
    }
    do throws(BusFailure) {
      return try body()
    } catch {
      // Called unlocked, and locked all the same.
      throw error.isAboutLock ? .collectionLocked(name) : error.keychainError
    }
  }

  /// Unlocks objects, through a prompt where the service wants one.
  func unlock(_ paths: [String], named name: String) throws(KeychainError) {
    let prompt = try reporting { () throws(BusFailure) in try service.unlock(paths) }
    if let prompt { try unlock(through: prompt, named: name) }
  }

  /// Runs the prompt that the service has for unlocking something, or for making a collection, which is unlocked then.
  ///
  /// - Throws: ``KeychainError/collectionLocked(_:)`` if nobody may be asked, or whoever was declined.
  func unlock(through prompt: String, named name: String) throws(KeychainError) {
    if !settings.mayPrompt {
      service.dismiss(prompt: prompt)
      throw .collectionLocked(name)
    }
    let outcome = try reporting { () throws(BusFailure) in
      try service.run(prompt: prompt, onWaiting: tellOfPrompt)
    }
    if case .dismissed = outcome { throw .collectionLocked(name) }
  }

  /// Runs the prompt that a service has for a call in place of just doing it, and returns what the call would have.
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
      outcome = try service.run(prompt: prompt, limit: limit, onWaiting: tellOfPrompt)
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

  func tellOfPrompt() {
    settings.onNotice(.prompting(program: service.process()?.program))
  }
}
