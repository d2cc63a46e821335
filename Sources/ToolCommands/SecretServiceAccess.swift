package import Keychain

/// Access to the Secret Service. Only `llavero-secret-service` provides it, because `llavero` is static, and libsecret
/// is not.
package struct SecretServiceProvider {
  package let open: (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain
  package let diagnose: (DesktopKeychainSettings) -> [Finding]

  /// Creates a provider from functions that open the keychain, and that find out why it can't be opened.
  package init(
    open: @escaping (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain,
    diagnose: @escaping (DesktopKeychainSettings) -> [Finding]
  ) {
    self.open = open
    self.diagnose = diagnose
  }
}
