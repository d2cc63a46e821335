import Bytes
import OpenBao
import PrivateFiles

/// Remembers facts about a keychain's server in a small file of this machine's.
final class ServerMemoryFile: ServerMemoryStore {
  private let folder: String
  private let server: OpenBaoServer

  /// - Parameter folder: the folder of this machine's files about the keychain.
  init(in folder: String, at server: OpenBaoServer) {
    self.folder = folder
    self.server = server
  }

  func memory() -> ServerMemory {
    var note = Note(place: "", memory: ServerMemory())
    note.readNote(StateFiles.server, in: folder)
    // Another keychain may have the same name by now.
    return note.place == server.place ? note.memory : ServerMemory()
  }

  /// Without it, the server is asked again.
  func keep(_ memory: ServerMemory) {
    Note(place: server.place, memory: memory).writeNote(StateFiles.server, in: folder)
  }

  private struct Note: JSONMessage {
    /// The place that the file is about.
    var place: ByteString
    var memory: ServerMemory

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("place", &place)
      try members.member("index", &memory.index)
      try members.mark("version2", &memory.isVersion2)
      try members.date("unscanned", &memory.unscanned)
      try members.date("silent", &memory.silent)
    }
  }
}
