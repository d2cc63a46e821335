import Bytes
import Glibc
import Keychain
import PrivateFiles

/// This machine's facts about a shared keychain and its repository: the file `sync` in the keychain's state folder, a
/// JSON object without secrets. A missing or invalid one says nothing.
struct SyncNote: Hashable, Sendable, JSONMessage {
  /// The state of the keychain's file that the repository has, as in ``EncryptedFileKeychain/stateName``.
  var shared: String?
  /// The time of the last complete sync.
  var sharedAt: Timestamp?
  /// When the repository's contents were last learnt, whether or not it took everything.
  var askedAt: Timestamp?
  /// The remote and its branch that have taken something from here; `nil` if none has.
  var sentTo: String?
  /// The time of the last attempt.
  var triedAt: Timestamp?
  /// Why the last attempt failed; `nil` if it didn't.
  var problem: String?
  /// How many records the repository lacked when that was last known.
  var waiting = 0
  /// How many local changes others have overridden without any person being told yet.
  var overridden = 0
  /// Members added with a former key, who have nothing of the present one: labels and recipients not yet reported to a
  /// person.
  var withFormerKey: [String] = []

  static let fileName = "sync"

  init() {}

  init(in stateFolder: String) { readNote(Self.fileName, in: stateFolder) }

  /// Whether the repository could be asked at the last attempt.
  var wasAsked: Bool {
    guard problem != nil, let triedAt else { return true }
    return askedAt.map { $0 >= triedAt } ?? false
  }

  /// Writes the note. A failure is ignored, because the facts can be found out again.
  func write(in stateFolder: String) { writeNote(Self.fileName, in: stateFolder) }

  mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.member("shared", &shared)
    try members.member("shared_at", &sharedAt)
    try members.member("asked_at", &askedAt)
    try members.member("sent_to", &sentTo)
    try members.member("tried_at", &triedAt)
    try members.member("problem", &problem)
    try members.member("waiting", &waiting)
    try members.member("overridden", &overridden, usually: 0)
    if members.isReading || !withFormerKey.isEmpty { try members.texts("with_former_key", &withFormerKey) }
  }
}
