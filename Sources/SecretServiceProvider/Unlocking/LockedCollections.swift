import Keychain
import SecretService

// A program can lock a single collection. All share one passphrase and the keychain itself stays open, so a collection
// locked individually is only refused to the programs that call the service, until somebody gives the passphrase for
// it. Locking the last open collection locks the keychain, which encrypts everything; unlocking that unlocks all
// collections.

extension Provider {
  /// Whether a collection is locked, individually or with the keychain.
  func isLocked(_ collection: ByteString) -> Bool {
    collection != CollectionName.session && (isLocked || lockedCollections.contains(collection))
  }

  func requireUnlocked(_ collection: ByteString) throws(ServiceError) {
    if collection == CollectionName.session { return }
    try requireUnlocked()
    if lockedCollections.contains(collection) { throw .isLocked }
  }

  /// The unlocked ones of these items that a caller may use.
  func usable(_ items: [ServedItem], by caller: String) -> [ServedItem] {
    if lockedCollections.isEmpty { return allowed(items, caller) }
    return allowed(items.filter { !isLocked($0.collection) }, caller)
  }

  /// The collection locked and unlocked with the object at a path; `nil` if there is nothing to lock.
  func lockable(_ path: String, _ caller: String) -> ByteString? {
    switch object(at: path, for: caller) {
    case .collection(let collection): collection.name
    case .item(let item): item.collection
    case .hidden(let search): search?.collection ?? CollectionName.login
    default: nil
    }
  }

  /// Whether the object at a path must be unlocked.
  func isLocked(_ path: String, _ caller: String) -> Bool {
    switch object(at: path, for: caller) {
    case .collection(let collection): isLocked(collection.name)
    case .item(let item): usable([item], by: caller).isEmpty
    case .hidden: true
    default: false
    }
  }

  /// Locks collections, and with the last of them the keychain, if that is possible.
  func lock(_ names: Set<ByteString>) {
    guard case .unlocked = state else {
      _ = settings.lock()
      return update()
    }
    let new = names.subtracting(lockedCollections)
    lockedCollections.formUnion(new)
    let isAnyOpen = holdings.collections.keys.contains { $0 != CollectionName.session && !isLocked($0) }
    if !isAnyOpen, settings.lock() { return update() }
    signalLock(true, holdings, in: new)
  }

  func unlock(_ names: Set<ByteString>) {
    let opened = lockedCollections.intersection(names)
    lockedCollections.subtract(opened)
    if !opened.isEmpty { signalLock(false, holdings, in: opened) }
  }

  /// Unlocks collections that were locked individually, if there is no passphrase to ask for.
  func unlockUnasked(_ names: Set<ByteString>) {
    if !lockedCollections.isDisjoint(with: names), settings.opensUnasked() { unlock(names) }
  }

  func collections(of prompt: ServedPrompt) -> Set<ByteString> {
    Set(prompt.objects.compactMap { lockable($0, prompt.owner) })
  }

  /// Whether a prompt unlocks a collection that was locked individually.
  func needsPassphrase(_ prompt: ServedPrompt) -> Bool {
    !lockedCollections.isEmpty && !lockedCollections.isDisjoint(with: collections(of: prompt))
  }

  /// Whether somebody waits for the passphrase of an open keychain.
  var isPassphraseNeeded: Bool { prompts.shown.contains(where: needsPassphrase) }
}
