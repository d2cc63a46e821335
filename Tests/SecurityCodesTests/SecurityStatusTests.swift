import Expectations
import Glibc
import Keychain
import Testing

@Suite("statuses of Keychain Services") struct SecurityStatusTests {
  @Test(
    "a process ends with the low byte",
    arguments: [
      (SecurityStatus.success, 0), (.itemNotFound, 44), (.duplicateItem, 45), (.interactionNotAllowed, 36),
      (.authFailed, 51), (.noSuchKeychain, 50), (.userCanceled, 128), (.unimplemented, 252), (.param, 206),
      (.notAvailable, 53), (.invalidKeychain, 49), (.dataTooLarge, 42), (.wrPerm, 195), (.diskFull, 222),
      (.io, 220), (.allocate, 148), (.badReq, 115), (.wrongSecVersion, 34), (.decode, 93),
      (.noDefaultKeychain, 37), (.missingEntitlement, 30), (.interactionRequired, 29),
    ] as [(SecurityStatus, Int32)])
  func exitStatuses(status: SecurityStatus, exit: Int32) {
    expect(status.exitStatus, is: exit)
  }

  @Test("the sentences that scripts look for")
  func messages() {
    expect(SecurityStatus.itemNotFound.message, is: "The specified item could not be found in the keychain.")
    expect(SecurityStatus.duplicateItem.message, is: "The specified item already exists in the keychain.")
    expect(SecurityStatus.interactionNotAllowed.message, is: "User interaction is not allowed.")
    expect(SecurityStatus(rawValue: 12345).message, is: "OSStatus 12345")
  }

  @Test(
    "nothing found, locked, refused and broken are told apart",
    arguments: [
      (.itemNotFound, .itemNotFound), (.duplicateItem, .duplicateItem),
      (.locked(path: "/v"), .interactionNotAllowed), (.collectionLocked("login"), .interactionNotAllowed),
      (.itemLocked(collection: "login"), .interactionNotAllowed), (.promptDismissed, .userCanceled),
      (.wrongPassphrase(path: "/v"), .authFailed), (.wrongPassphraseGiven(by: "fd", path: "/v"), .authFailed),
      (.noCollection(nil), .noDefaultKeychain), (.noCollection("x"), .noSuchKeychain),
      (.missing(path: "/v"), .noSuchKeychain), (.elsewhere(path: "/v", known: "/w"), .noSuchKeychain),
      (.damaged(path: "/v", detail: "x"), .invalidKeychain),
      (.newerFormat(path: "/v", version: 9), .wrongSecVersion),
      (.noAnswer(call: "Get", milliseconds: 1), .notAvailable), (.unavailable(reason: "x"), .notAvailable),
      (.tooLarge(what: "the secret", limit: 1), .dataTooLarge),
      (.unusableAttribute(name: "account", .lineBreak), .param),
      (.unusableAttribute(name: "account", .tooLong(limit: 1)), .dataTooLarge),
      (.system(operation: "write", path: "/v", errno: ENOSPC), .diskFull),
      (.system(operation: "write", path: "/v", errno: EACCES), .wrPerm),
      (.system(operation: "write", path: "/v", errno: EIO), .io),
      (.earlierStatesRemain(because: .system(operation: "remove", path: "/v", errno: EROFS)), .wrPerm),
      (.slot(.commandFailed(program: "x")), .authFailed), (.slot(.passphraseLikeCode), .param),
      (.slot(.pluginFailed(name: "x", .notFound)), .notAvailable),
      (.slot(.renewalOpensNothing(id: "aa", plugin: "x")), .notAvailable),
    ] as [(KeychainError, SecurityStatus)])
  func errors(error: KeychainError, status: SecurityStatus) {
    expect(SecurityStatus(error), is: status)
    // Whatever the error is, a script sees that it failed.
    expect(SecurityStatus(error).exitStatus != 0)
  }
}
