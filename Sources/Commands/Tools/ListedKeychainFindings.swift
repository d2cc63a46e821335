import Keychain
import KeychainChoice
import ToolCommands

/// The findings of `llavero doctor` about a listed keychain.
struct ListedKeychainFindings {
  private(set) var all: [Finding] = []

  /// Asks nobody.
  init(of keychain: ListedKeychain, _ selection: KeychainSelection) {
    all.append(Finding(keychain.kind.hasRepository ? "repository" : "place", keychain.shownPlace))
    var selection = selection
    selection.name = keychain.name
    do throws(KeychainError) {
      let open = try selection.chooseOrExec().open()
      try open.choice.kind.managed.examine(open, &all)
    } catch {
      all.append(Finding("keychain", nil, problem: error))
    }
  }
}
