public import EncryptedFile
public import Keychain
public import KeychainChoice

extension DefaultKeychain {
  /// A program's settings for using the user's keychain.
  public struct Settings {
    /// The name of the one keychain to use, whatever the user has chosen: a kind's, or one that `llavero keychain
    /// list` shows. `nil` for those that `llavero` itself would use.
    public var keychain: String?
    /// The kind of the keychain to use, whatever the user has chosen: the one that needs no listing.
    public var kind: KeychainKind? {
      get { keychain.flatMap { KeychainKind(rawValue: $0) } }
      set { keychain = newValue?.rawValue }
    }
    /// Whether to ask the user, by the desktop's own prompt or by ``passphrase``. `LLAVERO_PROMPT=never` also forbids
    /// it. Without asking, a locked keychain is `KeychainError.locked` or `KeychainError.collectionLocked`.
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
    /// Nothing was chosen before. Adding the first item made this the keychain of all the user's programs, until
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
