/// The kinds of keychain.
public enum KeychainKind: String, CaseIterable, Hashable, Sendable {
  /// The encrypted file.
  case file
  /// The desktop's Secret Service.
  case secretService = "secret-service"
  /// The keychain of another machine, which ssh forwards to this one.
  case forwarded
  /// A keychain in OpenBao or HashiCorp Vault.
  case openBao = "openbao"

  /// Whether other people use a keychain of this kind, too.
  package var isShared: Bool {
    switch self {
    case .file, .secretService, .forwarded: false
    case .openBao: true
    }
  }
}
