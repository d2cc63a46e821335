package import Keychain

/// How the program reaches the Secret Service. Only `llavero-secret-service` has one: `llavero` is static, and
/// libsecret is not.
package struct SecretServiceProvider {
  package let open: (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain
  package let diagnose: (DesktopKeychainSettings) -> [Finding]

  /// Takes the ways to open the keychain, and to find out why that can't be done.
  package init(
    open: @escaping (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain,
    diagnose: @escaping (DesktopKeychainSettings) -> [Finding]
  ) {
    self.open = open
    self.diagnose = diagnose
  }
}
