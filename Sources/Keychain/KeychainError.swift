/// Every way in which a keychain can fail that a caller might treat differently.
///
/// The cases carry facts (a path, an `errno`), never finished sentences, secrets or raw input. *Nothing found* is
/// not among them except where an item was named that had to be there: `locked` and `damaged` are never reported
/// as an empty answer.
public enum KeychainError: Error, Hashable, Sendable {
  /// A query names too little to mean anything (CVE-2020-11008): it never means "everything".
  case queryTooBroad(QueryFault)
  /// An attribute can't be kept.
  case unusableAttribute(name: String, AttributeFault)
  /// An item with this primary key is there already.
  case duplicateItem
  /// The item that was to be read, changed or deleted is not there.
  case itemNotFound

  /// The keychain is locked and nobody could be asked to unlock it.
  case locked(path: String)
  /// The person who was asked declined.
  case promptDismissed
  /// The passphrase opens nothing.
  case wrongPassphrase(path: String)
  /// The passphrase that something gave opens nothing, and no person was asked: a descriptor, a file, a command.
  case wrongPassphraseGiven(by: String, path: String)

  /// What was typed has the form of a recovery code, but a wrong character, most likely in one of these groups, which
  /// count from 1; none if that can't be told.
  case mistypedRecoveryCode(groups: [Int])
  /// None of a vault's slots opens here, and there is no passphrase to ask for.
  case noSlotOpens(path: String)
  /// A way into a vault can't be added, removed, renewed or used.
  case slot(SlotFault)

  /// A collection of the desktop's service is locked, and was not unlocked.
  case collectionLocked(String)
  /// An item of that collection is locked by itself, for the service asks about each access, and was not unlocked.
  case itemLocked(collection: String)
  /// The service has no such collection; `nil` stands for the default one.
  case noCollection(String?)
  /// The service did not reply to a call in time.
  case noAnswer(call: String, milliseconds: Int)
  /// The service replied to a call with an error, which has a name on the bus.
  case refused(call: String, error: String, detail: String)

  /// This kind of keychain can't be used here.
  case unavailable(reason: String)
  /// A file or folder that would let others in, or lead somewhere else, is not used.
  case unsafeFile(path: String, FileFault)
  /// Something that has to be there is not, though the keychain's other parts are.
  case missing(path: String)
  /// The keychain isn't where it is looked for. The one that was used on this machine before is, or was, elsewhere.
  case elsewhere(path: String, known: String)
  /// The identity that was found opens another keychain than this one.
  case wrongIdentity(path: String)
  /// A copy of the keychain is encrypted for another key than this one has, and nothing here opens it.
  case otherKey(path: String)
  /// What is stored can't be understood or fails its authentication.
  case damaged(path: String, detail: String)
  /// An older state of the keychain has come into the place of a newer one, which was seen here before. `seen` is the
  /// newest write that was seen; `nil` if another key had written what is remembered of that.
  case rolledBack(path: String, generation: Int64, seen: Int64?)
  /// Another keychain has come into the place of the one that was seen there before. `former` is the file with the last
  /// state of that one that is kept; `nil` if there is none.
  case replaced(path: String, former: String?)
  /// A newer version of the program wrote it, in a way this one can't read (or not safely write).
  case newerFormat(path: String, version: Int)
  /// A bound of the format is exceeded. `limit` is in bytes.
  case tooLarge(what: String, limit: Int)
  /// Deriving the key from the passphrase would take more memory than there is, in MiB.
  case notEnoughMemory(needed: Int, available: Int)
  /// Somebody else held the lock for `seconds`.
  case busy(path: String, seconds: Int)
  /// A copy of the vault, or a write of this machine that was replaced, was never merged, and would be lost.
  case unmerged(path: String)
  /// A change was made that was to leave no earlier state of the keychain, and one is still there.
  indirect case earlierStatesRemain(because: KeychainError)
  /// A system call failed. `errno` says why.
  case system(operation: String, path: String, errno: Int32)

  /// What a query lacks.
  public enum QueryFault: Hashable, Sendable {
    /// Neither git nor a person ever asks without a protocol.
    case noProtocol
    /// Neither a server nor a path.
    case noServer
    /// A generic password without a service.
    case noService
  }

  /// Why an attribute can't be kept.
  public enum AttributeFault: Hashable, Sendable {
    /// LF, CR or NUL: no line protocol could ever speak it again (CVE-2020-5260, CVE-2024-52006).
    case lineBreak
    /// It is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// It has to have a value.
    case empty
    /// It was asked for as text, and is no UTF-8.
    case notText
  }

  /// What is wrong with a slot, a way into a vault.
  public enum SlotFault: Hashable, Sendable {
    /// There is none of that name.
    case notFound(id: String)
    /// There is a way in like the one to be added.
    case alreadyThere(id: String)
    /// Without it nothing that this version knows would open the vault.
    case lastWayIn(id: String)
    /// None of the slots that would stay opens the keychain on this machine, as far as can be told.
    case nothingElseOpens
    /// There are as many as there may be.
    case tooMany(limit: Int)
    /// The recipient is none, or of a kind that this version doesn't know.
    case malformedRecipient
    /// The file holds no identity of the recipient.
    case notItsIdentity(path: String)
    /// A program gave no passphrase: it can't be run, failed, printed nothing or too much, or took too long.
    case commandFailed(program: String)
    /// What its program gives is not its passphrase.
    case commandMismatch(id: String)
    /// The plugin of age `age-plugin-NAME`, which one of the ways in needs, failed. That tells nothing of the keychain:
    /// most likely what the plugin works with isn't plugged in.
    case pluginFailed(name: String, PluginFault)
    /// It can't be renewed, for its passphrase was not given.
    case secretMissing(id: String)
    /// It can't be renewed, for another passphrase than its own was given.
    case secretMismatch(id: String)
    /// It can't be renewed, for this version doesn't know its kind, or whom it is for, or this machine how to open it.
    case notRenewable(id: String, kind: String)
    /// Another process changed the ways in meanwhile.
    case changedMeanwhile
    /// A vault that is damaged or gone would be put back with ways in that may have been removed, or with a former key, and
    /// nobody has confirmed that.
    case unconfirmed
    /// A new passphrase could be taken for a recovery code.
    case passphraseLikeCode
    /// The identity file of this machine is of another vault.
    case otherIdentityFile(path: String)
  }

  /// How a plugin of age failed.
  public enum PluginFault: Hashable, Sendable {
    /// It isn't there.
    case notFound
    /// The system didn't start it, with this `errno`.
    case notStarted(errno: Int32)
    /// It ended, or hung up, before it was done.
    case ended
    /// It took too long.
    case timedOut
    /// It doesn't keep to the protocol of age's plugins.
    case brokeProtocol
    /// It said what is wrong. The message is the plugin's own, at most 1,024 bytes of any characters: escape control
    /// characters before they reach a terminal.
    case reported(String)
  }

  /// Why a file or folder isn't used.
  public enum FileFault: Hashable, Sendable {
    /// It belongs to another user.
    case owner(uid: UInt32)
    /// Its mode lets others in.
    case mode(UInt32)
    /// It is a symbolic link.
    case symbolicLink
    /// It is no regular file, or no folder.
    case wrongKind
  }
}
