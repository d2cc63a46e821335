public import EncryptedFile
public import Keychain
public import KeychainChoice

extension DefaultKeychain {
  /// The settings with which a program uses the user's keychain.
  public struct Settings {
    /// The name of the keychain to use alone, whatever the user has chosen: that of a kind, or one that `llavero
    /// keychain list` shows. `nil` for those that `llavero` itself would use.
    public var keychain: String?
    /// The kind of keychain to use, whatever the user has chosen: the one that is there without being listed.
    public var kind: KeychainKind? {
      get { keychain.flatMap { KeychainKind(rawValue: $0) } }
      set { keychain = newValue?.rawValue }
    }
    /// Whether to ask the user, by the desktop's own prompt or by ``passphrase``. `LLAVERO_PROMPT=never` also forbids
    /// it. If nobody is asked, a locked keychain is reported as `KeychainError.locked` or
    /// `KeychainError.collectionLocked`.
    public var mayPrompt = true
    /// Asks the user for the passphrase of an encrypted file that has one. Without it such a file is open only as long
    /// as `llavero unlock` keeps it open.
    public var passphrase: PassphraseSource?
    /// Called with notices, on the thread that uses the keychain. Nothing is ever written to standard error.
    public var onNotice: (Notice) -> Void = { _ in }

    /// Creates settings for the keychain that `llavero` itself would use; the desktop may prompt.
    public init(
      kind: KeychainKind? = nil, mayPrompt: Bool = true, passphrase: PassphraseSource? = nil,
      onNotice: @escaping (Notice) -> Void = { _ in }
    ) {
      keychain = kind?.rawValue
      self.mayPrompt = mayPrompt
      self.passphrase = passphrase
      self.onNotice = onNotice
    }
  }

  /// An event that a program may want to report.
  public enum Notice: Hashable, Sendable {
    /// Nothing was chosen before, and adding the first item makes this the keychain of all programs of this user, until
    /// `llavero keychain use` changes it.
    case remembered(KeychainChoice)
    /// As `remembered`, but the choice can't be saved.
    case notRemembered(KeychainChoice, KeychainError)
    /// A keychain of the search list can't be used, while another one answers.
    case passedOver(keychain: String, KeychainError)
    /// A notice of the encrypted file.
    case encryptedFile(EncryptedFileKeychain.Notice)
    /// A notice of the Secret Service.
    case secretService(DesktopKeychainSettings.Notice)
  }
}
