import EncryptedFile
import Foundation
import Keychain
import Security
import TestSupport
import Testing

/// The user's own keychain, with a passphrase, in a separate process.
@Suite struct PassphraseHandlerTests {
  @Test(.aheadOfOthers)
  func `a program's own dialog opens a file with a passphrase, where it may`() async {
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      folder.makeFolder("data/llavero")
      folder.makeFolder("state/llavero")
      let location = VaultLocation(vaultFolder: folder["data/llavero"], stateFolder: folder["state/llavero"])
      try EncryptedFileKeychain(at: location).withCheapPassphrases.create(.passphrase(Secret("open sesame")))
      setenv("HOME", folder.path, 1)
      setenv("XDG_DATA_HOME", folder["data"], 1)
      setenv("XDG_STATE_HOME", folder["state"], 1)
      setenv("LLAVERO_KEYCHAIN", "file", 1)
      setenv("LLAVERO_UNLOCK_CACHE", "none", 1)
      let item: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
      let silent = item.merging([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]) { $1 }
      func check(_ holds: Bool, _ status: Int32) { if !holds { exit(status) } }

      check(SecItemAdd(item as CFDictionary, nil) == errSecInteractionNotAllowed, 1)
      SecKeychainSetPassphraseHandler { _ in nil }
      check(SecItemAdd(item as CFDictionary, nil) == errSecUserCanceled, 2)
      check(SecItemCopyMatching(silent as CFDictionary, nil) == errSecInteractionNotAllowed, 3)
      SecKeychainSetPassphraseHandler { $0 == 1 ? Data("wrong".utf8) : Data("open sesame".utf8) }
      check(SecItemAdd(item as CFDictionary, nil) == errSecSuccess, 4)
      var reference: AnyObject?
      let query = item.merging([kSecReturnPersistentRef: true]) { $1 }
      check(SecItemCopyMatching(query as CFDictionary, &reference) == errSecSuccess, 5)
      SecKeychainSetPassphraseHandler { _ in Data("open sesame".utf8) }
      let named = [kSecValuePersistentRef: reference as Any]
      check(SecItemDelete(named as CFDictionary) == errSecSuccess, 6)
    }
  }
}
