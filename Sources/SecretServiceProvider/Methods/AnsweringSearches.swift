import Bytes
import Keychain
import SecretService

extension Provider {
  /// Answers a search. A locked keychain is unlocked first, if a person does so in time: many programs can't handle
  /// results that they can't see. After that time, the program gets an object that stands for the results, and can have
  /// it unlocked.
  func answerSearch(
    _ wanted: LookupAttributes, in collection: ByteString?, for call: MethodCall,
    answer: @escaping (_ unlocked: [String], _ locked: [String]) -> Void
  ) throws(ServiceError) {
    func finish() throws(ServiceError) {
      let (unlocked, locked) = try results(of: wanted, in: collection, for: call)
      answer(unlocked, locked)
    }
    if try answerByAsking(for: wanted, in: collection, call, then: finish) { return }
    guard isLocked, collection != CollectionName.session else { return try finish() }
    let now = SystemClock.awake
    if settings.unlockProgram == nil || heldSearches.hasDeclined(call.sender, now: now) { throw .isLocked }
    func conclude() { call.answering(finish) }
    var held: ServedPrompt?
    let prompt = try prompts.add(for: call.sender, of: []) { [self] isDismissed in
      if let held { heldSearches.remove(held) }
      if !isDismissed { return conclude() }
      heldSearches.decline(call.sender, now: SystemClock.awake)
      call.refuse(.isLocked)
    }
    held = prompt
    heldSearches.add(prompt, now: now, giveUp: conclude)
    show(prompt)
  }

  /// The paths of the results, unlocked and locked.
  private func results(
    of wanted: LookupAttributes, in collection: ByteString?, for call: MethodCall
  ) throws(ServiceError) -> (unlocked: [String], locked: [String]) {
    let items = holdings.search(wanted, in: collection)
    let found = items.map(\.path)
    call.concerns = items
    switch state {
    case .unlocked:
      let usable = usable(items, by: call.sender).map(\.path)
      if usable.count == found.count { return (found, []) }
      let isUsable = Set(usable)
      return (usable, found.filter { !isUsable.contains($0) })
    case .unusable: try requireUnlocked()
    case .locked: break
    }
    if collection == CollectionName.session { return (found, []) }
    // However many there are, they must not fill the memory.
    if wanted.all.count > 64 || wanted.byteCount > 8192 { throw .isLocked }
    return (found, [standIn(for: LockedSearch(owner: call.sender, wanted: wanted, collection: collection))])
  }
}
