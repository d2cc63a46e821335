import Bytes
import Keychain
import PrivateFiles

/// What this machine notes of its last contact with a keychain's server.
struct ContactNote: Equatable {
  /// When it was last tried.
  var tried: Timestamp?
  /// Since when it has failed; `nil` if it hasn't.
  var failingSince: Timestamp?
  /// Whether a person was told.
  var isSaid = false

  private static let maximumSize = 4096

  /// Makes an empty note.
  init() {}

  /// Reads the note; an empty one if there is none.
  init(in folder: String, named name: String) {
    guard let folder = try? Folder(opening: folder), let file = try? folder.file(name),
      let text = try? file.contents(limit: Self.maximumSize)
    else { return }
    text.withUnsafeBytes { text in
      try? JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        if name == "tried" { tried = Timestamp(milliseconds: try value.integer()) }
        if name == "failing_since" { failingSince = Timestamp(milliseconds: try value.integer()) }
        if name == "said" { isSaid = try value.bool() }
      }
    }
  }

  /// Writes the note, if that is possible.
  func write(in folder: String, named name: String) {
    var json = JSONWriter()
    json.beginObject()
    json.member("tried", tried?.milliseconds)
    json.member("failing_since", failingSince?.milliseconds)
    if isSaid { json.member("said", true) }
    json.endObject()
    let line = json.finishLine()
    guard let folder = try? Folder(creating: folder) else { return }
    try? line.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(name, with: bytes)
    }
  }
}
