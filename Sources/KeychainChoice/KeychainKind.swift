/// The kinds of keychain.
public enum KeychainKind: String, CaseIterable, Hashable, Sendable {
  /// The encrypted file.
  case file
  /// The desktop's Secret Service.
  case secretService = "secret-service"
  /// Another machine's keychain, which ssh forwards to this one.
  case forwarded
  /// A keychain in OpenBao or HashiCorp Vault.
  case openBao = "openbao"
  /// An encrypted file that several people or machines share through a git repository.
  case git

  /// The kind of a name. (The compiler's own initializer collects all names before it compares one.)
  public init?(rawValue: String) {
    switch rawValue {
    case "file": self = .file
    case "secret-service": self = .secretService
    case "forwarded": self = .forwarded
    case "openbao": self = .openBao
    case "git": self = .git
    default: return nil
    }
  }

  /// Whether other people use such a keychain, too.
  package var isShared: Bool {
    switch self {
    case .file, .secretService, .forwarded: false
    case .git, .openBao: true
    }
  }

  /// Whether such a keychain is an encrypted file on this machine.
  package var isFile: Bool {
    switch self {
    case .file, .git: true
    case .secretService, .forwarded, .openBao: false
    }
  }
}
