import Keychain

// A program can lock one collection, and leave the others open. There is one passphrase for all of them, and the vault
// stays open: what is locked alone is refused to the programs that call the service, until somebody gives the
// passphrase for it. With the last open collection the whole keychain is locked, and with that everything is encrypted;
// whoever unlocks that unlocks all of it.

extension Provider {
  /// Whether a collection is locked, alone or with the whole keychain.
  func isLocked(_ collection: ByteString) -> Bool {
    collection != Self.sessionCollection && (isLocked || lockedCollections.contains(collection))
  }

  /// Throws unless the items of a collection are known and open.
  func requireUnlocked(_ collection: ByteString) throws(ServiceError) {
    if collection == Self.sessionCollection { return }
    try requireUnlocked()
    if lockedCollections.contains(collection) { throw .isLocked }
  }

  /// Those items that a caller can use without unlocking anything.
  func open(_ items: [ServedItem], for caller: String) -> [ServedItem] {
    if lockedCollections.isEmpty { return allowed(items, caller) }
    return allowed(items.filter { !isLocked($0.collection) }, caller)
  }

  /// The collection that is locked and unlocked with the object at a path; `nil` if there is nothing to lock.
  func lockable(_ path: String, _ caller: String) -> ByteString? {
    switch object(at: path, for: caller) {
    case .collection(let collection): collection.name
    case .item(let item): item.collection
    case .hidden(let search): search?.collection ?? Holdings.loginCollection
    default: nil
    }
  }

  /// Whether the object at a path has to be unlocked.
  func isLocked(_ path: String, _ caller: String) -> Bool {
    switch object(at: path, for: caller) {
    case .collection(let collection): isLocked(collection.name)
    case .item(let item): open([item], for: caller).isEmpty
    case .hidden: true
    default: false
    }
  }

  /// Locks collections, and the keychain with the last of them, if it can be locked.
  func lock(_ names: Set<ByteString>) {
    guard case .unlocked = state else {
      _ = settings.lock()
      return update()
    }
    let new = names.subtracting(lockedCollections)
    lockedCollections.formUnion(new)
    let isAnyOpen = holdings.collections.keys.contains { $0 != Self.sessionCollection && !isLocked($0) }
    if !isAnyOpen, settings.lock() { return update() }
    signalLock(true, holdings, in: new)
  }

  /// Unlocks collections that are locked alone.
  func unlock(_ names: Set<ByteString>) {
    let opened = lockedCollections.intersection(names)
    lockedCollections.subtract(opened)
    if !opened.isEmpty { signalLock(false, holdings, in: opened) }
  }

  /// Unlocks collections that are locked alone where nobody has a passphrase to give.
  func unlockUnasked(_ names: Set<ByteString>) {
    if !lockedCollections.isDisjoint(with: names), settings.opensUnasked() { unlock(names) }
  }

  /// The collections that a prompt is about.
  func collections(of prompt: Prompt) -> Set<ByteString> {
    Set(prompt.objects.compactMap { lockable($0, prompt.owner) })
  }

  /// Whether a prompt is about a collection that is locked alone.
  func needsPassphrase(_ prompt: Prompt) -> Bool {
    !lockedCollections.isEmpty && !lockedCollections.isDisjoint(with: collections(of: prompt))
  }

  /// Whether somebody waits for the passphrase of an open keychain.
  var isPassphraseNeeded: Bool { prompts.shown.contains(where: needsPassphrase) }
}
