import Bytes
import PrivateFiles

/// A note of this machine's last contact with a keychain's server.
struct ContactNote: Equatable, JSONMessage {
  /// The last attempt.
  var tried: Timestamp?
  /// `nil` if the last attempt succeeded.
  var failingSince: Timestamp?
  /// Whether a person was told.
  var isSaid = false

  init() {}

  /// Empty if there is none.
  init(in folder: String) { readNote(StateFiles.contact, in: folder) }

  /// Writes the note, if possible.
  func write(in folder: String) { writeNote(StateFiles.contact, in: folder) }

  mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.date("tried", &tried)
    try members.date("failing_since", &failingSince)
    try members.mark("said", &isSaid)
  }
}
