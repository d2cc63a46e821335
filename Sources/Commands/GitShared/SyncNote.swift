import Bytes
import Glibc
import Keychain
import PrivateFiles

/// This machine's facts about a shared keychain and its repository: the file `sync` in the keychain's state folder, a
/// JSON object without secrets. A missing or invalid one says nothing.
struct SyncNote: Hashable, Sendable {
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
  private static let limit = 65_536

  init() {}

  init(in stateFolder: String) {
    guard let folder = try? Folder(opening: stateFolder), let file = try? folder.file(Self.fileName),
      let text = try? file.contents(limit: Self.limit)
    else { return }
    try? text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      let fields = try JSONFields(text)
      shared = try fields.text("shared")
      sharedAt = try fields.value("shared_at")?.timestamp()
      askedAt = try fields.value("asked_at")?.timestamp()
      sentTo = try fields.text("sent_to")
      triedAt = try fields.value("tried_at")?.timestamp()
      problem = try fields.text("problem")
      waiting = try fields.value("waiting")?.integer() ?? 0
      overridden = try fields.value("overridden")?.integer() ?? 0
      withFormerKey = try fields.strings("with_former_key").map(\.description)
    }
  }

  /// Whether the repository could be asked at the last attempt.
  var wasAsked: Bool {
    guard problem != nil, let triedAt else { return true }
    return askedAt.map { $0 >= triedAt } ?? false
  }

  /// Writes the note. A failure is ignored, because the facts can be found out again.
  func write(in stateFolder: String) {
    let object: JSONObject = [
      "shared": shared, "shared_at": sharedAt, "asked_at": askedAt, "sent_to": sentTo, "tried_at": triedAt,
      "problem": problem, "waiting": waiting, "overridden": overridden > 0 ? overridden : nil,
      "with_former_key": withFormerKey.ifAny,
    ]
    guard let folder = try? Folder(creating: stateFolder) else { return }
    try? object.jsonLine.withUnsafeBytes { (text) throws(KeychainError) in
      try folder.replaceForNow(Self.fileName, with: text)
    }
  }
}
