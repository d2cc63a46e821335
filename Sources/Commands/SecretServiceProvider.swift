public import Keychain

/// How the program reaches the Secret Service. Only `llavero-secret-service` has one: `llavero` is static, and
/// libsecret is not.
public struct SecretServiceProvider {
  let open: (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain
  let diagnose: (DesktopKeychainSettings) -> [Finding]

  /// Takes the ways to open the keychain, and to find out why that can't be done.
  public init(
    open: @escaping (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain,
    diagnose: @escaping (DesktopKeychainSettings) -> [Finding]
  ) {
    self.open = open
    self.diagnose = diagnose
  }
}
