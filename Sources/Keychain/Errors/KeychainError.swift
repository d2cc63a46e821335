/// An error of a keychain, with one case for each failure that a caller might treat differently.
///
/// The cases contain facts (a path, an `errno`), never secrets or raw input, and no finished sentences, but for
/// ``described(_:)``. *Nothing found* is not an error, unless a named item had to exist: `locked` and `damaged` are
/// never reported as an empty answer.
public enum KeychainError: Error, Hashable, Sendable {
  /// A query names too little (CVE-2020-11008). It never means "everything".
  case queryTooBroad(QueryFault)
  /// An attribute can't be stored.
  case unusableAttribute(name: String, AttributeFault)
  /// An item with this primary key already exists.
  case duplicateItem
  /// The item to be read, changed or deleted does not exist.
  case itemNotFound
  /// The item is in a listed keychain that others use, too. It can be changed only by naming that keychain.
  case sharedItem(keychain: String)

  /// The keychain is locked and nobody could be asked to unlock it.
  case locked(path: String)
  /// The person who was asked declined.
  case promptDismissed
  /// The passphrase opens nothing.
  case wrongPassphrase(path: String)
  /// A passphrase from a descriptor, a file or a command opens nothing, and no person was asked.
  case wrongPassphraseGiven(by: String, path: String)

  /// The text looks like a recovery code, but has a wrong character, most likely in one of these groups, counted from
  /// 1; empty if that is unknown.
  case mistypedRecoveryCode(groups: [Int])
  /// None of a vault's slots can be opened here, and there is no passphrase to ask for.
  case noSlotOpens(path: String)
  /// Nothing here opens a shared keychain: the members haven't let this person in yet, or no longer do. A member has
  /// to add `recipient` as `label`; `nil` if unknown. `wasBefore` is whether this machine has opened it before.
  case notMember(keychain: String, recipient: String?, label: String?, wasBefore: Bool)
  /// A way into a vault can't be added, removed, renewed or used.
  case slot(SlotFault)

  /// A collection of the desktop's service is locked and was not unlocked.
  case collectionLocked(String)
  /// The service asks about each access to an item in that collection, and this one was not unlocked.
  case itemLocked(collection: String)
  /// The service has no such collection; `nil` stands for the default one.
  case noCollection(String?)
  /// The service did not reply to a call in time.
  case noAnswer(call: String, milliseconds: Int)
  /// The service replied to a call with an error, by its name on the bus.
  case refused(call: String, error: String, detail: String)

  /// No keychain has this name.
  case noKeychain(String)
  /// This kind of keychain can't be used here.
  case unavailable(reason: String)
  /// A file or folder is not used because it is accessible to others or leads somewhere else.
  case unsafeFile(path: String, FileFault)
  /// A file that must exist is missing, although other parts of the keychain exist.
  case missing(path: String)
  /// The keychain isn't in the expected place. This machine used one elsewhere before.
  case elsewhere(path: String, known: String)
  /// The identity that was found belongs to another keychain.
  case wrongIdentity(path: String)
  /// A copy of the keychain is encrypted for another key, and nothing here opens it.
  case otherKey(path: String)
  /// The stored data can't be understood or fails its authentication.
  case damaged(path: String, detail: String)
  /// An older state of the keychain has replaced a newer one. `seen` is the newest write seen here; `nil` if its note
  /// was written with another key.
  case rolledBack(path: String, generation: Int64, seen: Int64?)
  /// Another keychain has replaced the one seen there before. `former` is the file with that one's last state, if any.
  case replaced(path: String, former: String?)
  /// A newer version of the program wrote it in a form that this one can't read, or can't safely write.
  case newerFormat(path: String, version: Int)
  /// A bound of the format is exceeded. `limit` is in bytes.
  case tooLarge(what: String, limit: Int)
  /// Deriving the key from the passphrase would take more memory, in MiB, than there is.
  case notEnoughMemory(needed: Int, available: Int)
  /// Another process held the lock for `seconds`.
  case busy(path: String, seconds: Int)
  /// A copy of the vault, or a replaced write of this machine, was never merged and would be lost.
  case unmerged(path: String)
  /// Not everything asked for was found, and a copy of the vault that was not merged may have it.
  indirect case copyLeftOut(path: String, because: KeychainError)
  /// A copy of the vault was merged, and nothing else was done.
  case mergedInstead
  /// A change should have left no earlier state of the keychain, but one still exists.
  indirect case earlierStatesRemain(because: KeychainError)
  /// A system call failed. `errno` says why.
  case system(operation: String, path: String, errno: Int32)
  /// A fault that only one part of the program knows.
  case fault(AnyKeychainFault)
  /// An error that is already in words.
  indirect case described(Failure)

  /// What a query lacks.
  public enum QueryFault: Hashable, Sendable {
    /// Neither git nor a person ever asks without a protocol.
    case noProtocol
    /// Neither a server nor a path.
    case noServer
    /// A generic password without a service.
    case noService
  }

  /// Why an attribute can't be stored.
  public enum AttributeFault: Hashable, Sendable {
    /// LF, CR or NUL: no line protocol could ever transmit it again (CVE-2020-5260, CVE-2024-52006).
    case lineBreak
    /// It has a control character.
    case controlCharacter
    /// It is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// It must have a value.
    case empty
    /// It was requested as text but is not UTF-8.
    case notText
  }

  /// A fault of a slot, a way into a vault.
  public enum SlotFault: Hashable, Sendable {
    /// There is no slot with this identifier.
    case notFound(id: String)
    /// An equivalent way in already exists.
    case alreadyThere(id: String)
    /// It is the only way into the vault that this version knows.
    case lastWayIn(id: String)
    /// None of the remaining slots is known to open the keychain on this machine.
    case nothingElseOpens
    /// The vault has the maximum number of slots.
    case tooMany(limit: Int)
    /// The text is no recipient, or of a kind that this version doesn't know.
    case malformedRecipient
    /// The file holds no identity of the recipient.
    case notItsIdentity(path: String)
    /// The file holds nothing that opens a slot, or is an ssh key with a passphrase of its own.
    case noIdentity(path: String, hasPassphrase: Bool)
    /// A program provided no passphrase: it can't be run, failed, printed nothing or too much, or took too long.
    case commandFailed(program: String)
    /// The output of its program is not its passphrase.
    case commandMismatch(id: String)
    /// The age plugin `age-plugin-NAME` of one of the ways in failed. That says nothing about the keychain: most
    /// likely the plugin's hardware isn't plugged in.
    case pluginFailed(name: String, PluginFault)
    /// It can't be renewed because its passphrase was not given.
    case secretMissing(id: String)
    /// It can't be renewed because a passphrase other than its own was given.
    case secretMismatch(id: String)
    /// It can't be renewed: this version doesn't know its kind or recipient, or nothing is noted here to open it.
    case notRenewable(id: String, kind: String)
    /// The age plugin `age-plugin-NAME` can't open its own wrapping of the new key, though it opens the earlier one.
    case renewalOpensNothing(id: String, plugin: String)
    /// The keychain is unlocked, but changing its ways in takes one of them, and nobody could be asked for it.
    case passphraseNeeded(path: String)
    /// Another process has changed the ways in meanwhile.
    case changedMeanwhile
    /// Restoring the vault could bring back removed ways in or a former key, and nobody has confirmed that.
    case unconfirmed
    /// A new passphrase could be taken for a recovery code.
    case passphraseLikeCode
    /// The identity file of this machine belongs to another vault.
    case otherIdentityFile(path: String)
  }

  /// How an age plugin failed.
  public enum PluginFault: Hashable, Sendable {
    /// It wasn't found.
    case notFound
    /// The system didn't start it, with this `errno`.
    case notStarted(errno: Int32)
    /// It ended, or closed the connection, before it was done.
    case ended
    /// It took too long.
    case timedOut
    /// It violated the protocol of age plugins.
    case brokeProtocol
    /// It gave a key that isn't the slot's.
    case wrongKey
    /// It reported an error. The message is the plugin's own, at most 1,024 bytes of any characters: escape control
    /// characters before they reach a terminal.
    case reported(String)
  }

  /// Why a file or folder isn't used.
  public enum FileFault: Hashable, Sendable {
    /// It belongs to another user.
    case owner(uid: UInt32)
    /// Its mode makes it accessible to others.
    case mode(UInt32)
    /// It is a symbolic link.
    case symbolicLink
    /// It is not a regular file, or not a folder.
    case wrongKind
  }

  /// How the reason begins for ``unavailable(reason:)`` where there is no session bus.
  package static let noSessionBus = "there is no session bus"
}
