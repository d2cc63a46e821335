import Bytes
import Keychain
import PrivateFiles

/// A note of this machine's last contact with a keychain's server.
struct ContactNote: Equatable {
  /// The last attempt.
  var tried: Timestamp?
  /// `nil` if the last attempt succeeded.
  var failingSince: Timestamp?
  /// Whether a person was told.
  var isSaid = false

  private static let maximumSize = 4096

  init() {}

  /// Empty if there is none.
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

  /// Writes the note, if possible.
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
