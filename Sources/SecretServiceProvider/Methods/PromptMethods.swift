import SecretService

extension Provider {
  /// The methods of a prompt (Secret Service draft 0.2, "org.freedesktop.Secret.Prompt").
  func answer(_ call: MethodCall, of prompt: ServedPrompt) throws(ServiceError) {
    guard prompt.owner == call.sender else { throw .accessDenied("this prompt belongs to another program") }
    switch call.member {
    case "Prompt":
      // The window's number, which an asking program with its own window doesn't need.
      try call.arguments()
      if prompt.stage != .new { throw .alreadyExists("the prompt is shown already") }
      call.answer()
      show(prompt)
    case "Dismiss":
      try call.arguments()
      call.answer()
      dismiss(prompt)
    default: throw .unknownMethod
    }
  }

  func show(_ prompt: ServedPrompt) {
    prompt.stage = .unlocking
    ask()
  }

  func dismiss(_ prompt: ServedPrompt) {
    prompts.remove(prompt)
    withdrawQuestions(for: prompt)
    complete(prompt, isDismissed: true)
    if !prompts.hasShown { endUnlockProgram() }
  }

  func endUnlockProgram() {
    unlockProgram?.end()
    unlockProgram = nil
  }

  /// Asks a person, unless somebody is already being asked.
  private func ask() {
    update()
    for prompt in prompts.shown where needsPassphrase(prompt) { unlockUnasked(collections(of: prompt)) }
    let isOpen = !isLocked
    if isOpen, !isPassphraseNeeded { return completeShown() }
    if unlockProgram != nil { return }
    guard let program = isOpen ? settings.unlockAgainProgram : settings.unlockProgram else {
      return completeShown()
    }
    lastUnlockProgram += 1
    let number = lastUnlockProgram
    unlockProgram = ChildProgram(program) { [weak self] ending in
      // A program that was ended because nobody waited for it says nothing about the next.
      if self?.lastUnlockProgram == number {
        self?.askingHasEnded(isPassphraseGiven: isOpen && ending.hasSucceeded)
      }
    }
    if unlockProgram == nil { completeShown() }
  }

  private func askingHasEnded(isPassphraseGiven: Bool) {
    unlockProgram = nil
    if isPassphraseGiven {
      for prompt in prompts.shown { unlock(collections(of: prompt)) }
    }
    completeShown()
  }

  /// Answers all waiting programs according to the keychain's present state.
  func completeShown() {
    update()
    guard case .locked = settings.lockState() else {
      // The items must be known before a program searches them.
      return load { [self] in
        for prompt in prompts.shown {
          let isLocked = needsPassphrase(prompt)
          // Somebody is being asked for it.
          if isLocked, unlockProgram != nil { continue }
          prompts.remove(prompt)
          if isLocked { complete(prompt, isDismissed: true) } else { askAboutProgram(prompt) }
        }
      }
    }
    for prompt in prompts.takeShown() { complete(prompt, isDismissed: true) }
  }

  /// Asks about the program itself, if necessary, now that the keychain is unlocked.
  private func askAboutProgram(_ prompt: ServedPrompt) {
    guard settings.asking != nil, prompt.onCompletion == nil else {
      return complete(prompt, isDismissed: false)
    }
    let items = prompt.objects.compactMap { path -> ServedItem? in
      guard case .item(let item) = object(at: path, for: prompt.owner) else { return nil }
      return item
    }
    // Until the answer is there, the program can dismiss it.
    prompts.put(prompt)
    permitting(
      Wish(prompt.owner, items, for: prompt) { [self] allowed in
        prompts.remove(prompt)
        complete(prompt, isDismissed: allowed.isEmpty && !items.isEmpty)
      })
  }

  private func complete(_ prompt: ServedPrompt, isDismissed: Bool) {
    if let onCompletion = prompt.onCompletion {
      prompt.onCompletion = nil
      return onCompletion(isDismissed)
    }
    let open = isDismissed ? [] : prompt.objects.filter { !isLocked($0, prompt.owner) }
    let result = Argument.paths(open)
    connection.emit(
      "Completed", of: Interface.prompt, at: prompt.path, to: prompt.owner,
      [Argument.bool(isDismissed), Argument.variant(result)])
  }
}
