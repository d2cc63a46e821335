import Bytes
import Keychain
import OpenBao
import PrivateFiles
import SignIn

/// Remembers facts about a keychain's server in a small file of this machine's.
final class ServerMemoryFile: ServerMemoryStore {
  private let folder: String
  private let server: OpenBaoServer

  private static let maximumSize = 65_536

  /// - Parameter folder: the folder of this machine's files about the keychain.
  init(in folder: String, at server: OpenBaoServer) {
    self.folder = folder
    self.server = server
  }

  /// The place that the file is about. Another keychain may have the same name by now.
  private var place: ByteString { server.place }

  func memory() -> ServerMemory {
    var memory = ServerMemory()
    guard let folder = try? Folder(opening: folder), let file = try? folder.file(StateFiles.server),
      let text = try? file.contents(limit: Self.maximumSize)
    else { return memory }
    var isAboutThis = false
    text.withUnsafeBytes { text in
      try? JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
        switch member.name {
        case "place": isAboutThis = try member.bytes() == place
        case "index": memory.index = try member.text()
        case "version2": memory.isVersion2 = try member.value.bool()
        case "unscanned": memory.unscanned = Timestamp(milliseconds: try member.value.integer())
        case "silent": memory.silent = Timestamp(milliseconds: try member.value.integer())
        default: break
        }
      }
    }
    return isAboutThis ? memory : ServerMemory()
  }

  func keep(_ memory: ServerMemory) {
    var json = JSONWriter()
    json.beginObject()
    json.member("place", place)
    json.member("index", memory.index.map { ByteString($0) })
    if memory.isVersion2 { json.member("version2", true) }
    json.member("unscanned", memory.unscanned?.milliseconds)
    json.member("silent", memory.silent?.milliseconds)
    json.endObject()
    let line = json.finishLine()
    guard let folder = try? Folder(creating: folder) else { return }
    try? line.withUnsafeBytes { (bytes) throws(KeychainError) in
      // Without it, the server is asked again.
      try folder.replaceForNow(StateFiles.server, with: bytes)
    }
  }
}
