import Keychain
import PrivateFiles

struct AgentPlaces: Sendable {
  /// The environment's `XDG_RUNTIME_DIR`, if set.
  let runtimeFolder: String?
  /// The folder of this machine's own files.
  let stateFolder: String

  /// The folder for a new agent: in the runtime folder if that is this user's alone, which it isn't after su(1).
  var own: String { folders.first ?? stateFolder }

  /// Folders that may have an agent; they need not exist.
  var folders: [String] {
    guard let runtimeFolder, runtimeFolder.hasPrefix("/"),
      let folder = try? Folder(opening: runtimeFolder), folder.descriptor >= 0
    else { return [stateFolder] }
    return [runtimeFolder + "/llavero", stateFolder]
  }

  /// The same, and those of all agents with a key: this process may have another `XDG_RUNTIME_DIR`, or none.
  var allFolders: [String] {
    let folders = folders
    return folders + noted.filter { $0.hasPrefix("/") && !folders.contains($0) }
  }

  private var notes: LineLog { LineLog(in: stateFolder, named: "agent.folders", maximumSize: 1 << 14) }

  /// The noted folders, each once.
  private var noted: [String] {
    var folders: [String] = []
    var position = LineLog.Position()
    notes.read(from: &position) { line in
      if let folder = String(validating: line, as: UTF8.self), !folders.contains(folder) {
        folders.append(folder)
      }
    }
    return folders
  }

  /// Notes the folder of an agent that keeps a key. If that fails, only `XDG_RUNTIME_DIR` leads there.
  func note(_ folder: String) {
    if folder == stateFolder || noted.contains(folder) { return }
    notes.append(Secret(folder + "\n"))
  }
}
