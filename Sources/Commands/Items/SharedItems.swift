import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

extension OpenKeychain {
  /// Refuses items of another keychain of the list that others use, too, before anybody is asked about them.
  ///
  /// - Parameter what: what the command does with them, such as `deletes`.
  /// - Throws: ``KeychainError`` with the command that does it for everybody.
  func refuseShared(_ items: [Item], what: String) throws(KeychainError) {
    if list == nil { return }
    let shared = Set(
      try KeychainList.read(in: location.stateFolder).keychains.filter(\.kind.isShared).map(\.name))
    for item in items {
      guard let name = item.keychain, name != choice.name, shared.contains(name) else { continue }
      let words = Self.words(CommandLine.arguments, in: name)
      let these = items.count == 1 ? "it" : "those in it"
      throw .failure(
        "\(items.count == 1 ? "the item" : item.key.name) is in the keychain \(name), which others use, too",
        hint: "\(commandOf: words) \(prose: what) \(prose: these) for all of them", status: .usage)
    }
  }

  /// The words of a command, for one keychain alone.
  static func words(_ arguments: [String], in keychain: String) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return ["llavero"] + arguments[..<end].dropFirst() + ["--keychain", keychain] + arguments[end...]
  }
}
