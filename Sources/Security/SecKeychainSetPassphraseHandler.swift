public import Foundation

/// Lets the program itself ask for the passphrase of an encrypted file that has one. Only on Linux.
///
/// Without a handler such a file is open only while `llavero unlock` keeps it open; otherwise the functions return
/// `errSecInteractionNotAllowed`. A desktop's Secret Service asks by itself and needs no handler. The handler isn't
/// called if `kSecUseAuthenticationUI` forbids it.
///
/// - Parameter handler: called on the thread that called a function of the Keychain, which waits for it; it must not
///   call one of these functions, or wait for a thread that does. `attempt` counts from 1 to at most 3; after that the
///   function returns `errSecAuthFailed`. It returns the passphrase in UTF-8, or `nil` if the user declines, for which
///   the function returns `errSecUserCanceled`. A `nil` handler removes the present one.
public func SecKeychainSetPassphraseHandler(_ handler: (@Sendable (_ attempt: Int) -> Data?)?) {
  KeychainAccess.setPassphraseHandler(handler)
}
