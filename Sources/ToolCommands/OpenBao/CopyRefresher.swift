import Bytes
import EncryptedFile
import Keychain
import KeychainChoice

/// The process that renews copies of a keychain in OpenBao.
enum CopyRefresher {
  static let name = "llavero-copies"

  /// The longest folder names that a process gets, in bytes.
  private static let maximumNames = 65_536

  /// Has another process renew copies, so that this one can end. Folders name hosts and accounts, so they are
  /// not passed as arguments, which every user of the machine can read.
  static func start(_ keychain: String, _ folders: [String]) {
    var names = Secret()
    for folder in folders { names.append(contentsOf: ByteString(folder.utf8 + [0])) }
    _ = try? DetachedProgram.start("/proc/self/exe", [Self.name, keychain], input: names)
  }

  /// Renews copies as that process, and ends it. Nobody waits for it, and it asks nobody.
  static func main() -> Never {
    StandardStreams.leave()
    let arguments = CString.arguments(from: 1).map(\.text)
    guard let folders = try? folders(from: 0), let name = arguments.first,
      let location = try? VaultLocation(),
      let keychain = try? KeychainList.read(in: location.stateFolder).keychain(named: name)
    else { Program.end(ExitStatus.usage.rawValue) }
    var selection = KeychainSelection(mayPrompt: false)
    selection.mayAsk = false
    selection.isForTool = true
    guard let opener = try? ProgramOpener(selection, location).openBao(keychain, isInsistent: true),
      let copied = opener.openToRefresh()
    else {
      Program.end(ExitStatus.keychain.rawValue)
    }
    copied.refresh(folders)
    Program.end(ExitStatus.done.rawValue)
  }

  /// Each is followed by a NUL.
  private static func folders(from descriptor: Int32) throws(KeychainError) -> [String] {
    let names = try StandardStreams.readAll(descriptor, limit: maximumNames, what: "the folders to copy")
    return names.withUnsafeBytes { names in
      names.split(separator: 0).map { String(decoding: UnsafeRawBufferPointer(rebasing: $0), as: UTF8.self) }
    }
  }
}
