import Expectations
import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite struct LockedKeychainTests {
  private let query: [String: Any] = [
    kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true,
  ]

  private func filled() throws -> LockableKeychain {
    let keychain = LockableKeychain()
    for account in ["a", "b", "c"] {
      try keychain.inside.add(
        Item(GenericPassword(service: "s", account: ByteString(account))), Credential(password: account))
    }
    return keychain
  }

  private func search(_ keychain: LockableKeychain, _ ui: String) -> (OSStatus, [Data]?) {
    var result: AnyObject?
    let query = query.merging([kSecUseAuthenticationUI: ui]) { $1 }
    let status = KeychainAccess.withKeychain({ _ throws(KeychainError) in keychain }) {
      SecItemCopyMatching(query as CFDictionary, &result)
    }
    return (status, result as? [Data])
  }

  @Test func `a locked keychain is never an empty one`() throws {
    let keychain = try filled()
    keychain.isLocked = true
    for ui in [kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail] {
      let (status, found) = search(keychain, ui)
      expect(status, is: errSecInteractionNotAllowed)
      expect(found, is: nil)
    }
    let item: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "t"]
    expect(Calls(keychain).add(item), is: errSecInteractionNotAllowed)
    expect(Calls(keychain).update(item, [:]), is: errSecInteractionNotAllowed)
    expect(Calls(keychain).delete(item), is: errSecInteractionNotAllowed)
  }

  @Test func `what is locked is left out where that is asked for`() throws {
    let keychain = try filled()
    keychain.lockedAccounts = ["b"]
    expect(search(keychain, kSecUseAuthenticationUIFail).0, is: errSecInteractionNotAllowed)
    let (status, found) = search(keychain, kSecUseAuthenticationUISkip)
    expect(status, is: errSecSuccess)
    expect(Set(found ?? []), is: [Data("a".utf8), Data("c".utf8)])
    keychain.isLocked = true
    expect(search(keychain, kSecUseAuthenticationUISkip).0, is: errSecItemNotFound)
  }

  @Test func `the first item that isn't locked is the first one`() throws {
    let keychain = try filled()
    keychain.lockedAccounts = ["c"]
    let query: [String: Any] = [
      kSecClass: kSecClassGenericPassword, kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
    ]
    expect(Calls(keychain).password(query), is: "b")
  }

  @Test func `somebody is asked only where that is allowed`() {
    for (key, value, allowed) in [
      (kSecUseAuthenticationUI, kSecUseAuthenticationUIAllow, true),
      (kSecUseAuthenticationUI, kSecUseAuthenticationUIFail, false),
      (kSecUseAuthenticationUI, kSecUseAuthenticationUISkip, false),
      (kSecUseNoAuthenticationUI, true, false), (kSecUseNoAuthenticationUI, false, true),
    ] as [(String, Any, Bool)] {
      let keychain = InMemoryKeychain()
      var asked: [Bool] = []
      KeychainAccess.withKeychain({ mayPrompt throws(KeychainError) in
        asked.append(mayPrompt)
        return keychain
      }) { _ = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, key: value] as CFDictionary, nil) }
      expect(asked, is: [allowed], "\(key) \(value)")
    }
  }

  @Test func `why the keychain can't be opened is said`() {
    let statuses: [(KeychainError, OSStatus)] = [
      (.unavailable(reason: "none"), errSecNotAvailable), (.promptDismissed, errSecUserCanceled),
      (.wrongPassphrase(path: "v"), errSecAuthFailed),
      (.damaged(path: "v", detail: "d"), errSecInvalidKeychain),
      (.newerFormat(path: "v", version: 9), errSecWrongSecVersion),
    ]
    for (error, status) in statuses {
      KeychainAccess.withKeychain({ _ throws(KeychainError) in throw error }) {
        expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary), is: status)
      }
    }
  }
}
