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
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        if name == "shared" {
          shared = try value.string().description
        } else if name == "shared_at" {
          sharedAt = try value.timestamp()
        } else if name == "asked_at" {
          askedAt = try value.timestamp()
        } else if name == "sent_to" {
          sentTo = try value.string().description
        } else if name == "tried_at" {
          triedAt = try value.timestamp()
        } else if name == "problem" {
          problem = try value.string().description
        } else if name == "waiting" {
          waiting = try value.integer()
        } else if name == "overridden" {
          overridden = try value.integer()
        } else if name == "with_former_key" {
          try JSONReader.elements(of: value.raw) { (member) throws(JSONReader.Malformed) in
            withFormerKey.append(try member.string().description)
          }
        }
      }
    }
  }

  /// Whether the repository could be asked at the last attempt.
  var wasAsked: Bool {
    guard problem != nil, let triedAt else { return true }
    return askedAt.map { $0 >= triedAt } ?? false
  }

  /// Writes the note. A failure is ignored, because the facts can be found out again.
  func write(in stateFolder: String) {
    var json = JSONWriter()
    json.beginObject()
    json.member("shared", shared.map { ByteString($0) })
    json.member("shared_at", sharedAt)
    json.member("asked_at", askedAt)
    json.member("sent_to", sentTo.map { ByteString($0) })
    json.member("tried_at", triedAt)
    json.member("problem", problem.map { ByteString($0) })
    json.member("waiting", waiting)
    if overridden > 0 { json.member("overridden", overridden) }
    if !withFormerKey.isEmpty {
      json.beginArray("with_former_key")
      for member in withFormerKey { json.element(ByteString(member)) }
      json.endArray()
    }
    json.endObject()
    let text = json.finishLine()
    guard let folder = try? Folder(creating: stateFolder) else { return }
    try? text.withUnsafeBytes { (text) throws(KeychainError) in
      try folder.replaceForNow(Self.fileName, with: text)
    }
  }
}
