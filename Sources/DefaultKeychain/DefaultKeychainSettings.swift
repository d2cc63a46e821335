public import EncryptedFile
public import Keychain
public import KeychainChoice

extension DefaultKeychain {
  /// How a program uses the user's keychain.
  public struct Settings {
    /// The kind of keychain to use, whatever the user has chosen; `nil` for the one that `llavero` itself would use.
    public var kind: KeychainKind?
    /// Whether somebody may be asked: by the desktop's own prompt, or by ``passphrase``. `LLAVERO_PROMPT=never` forbids it
    /// as well. Where nobody is asked, a keychain that is locked is `KeychainError.locked` or
    /// `KeychainError.collectionLocked`.
    public var mayPrompt = true
    /// Asks a person for the passphrase of an encrypted file that has one. Without it such a file is open as long as
    /// `llavero unlock` keeps it so, and locked else.
    public var passphrase: PassphraseSource?
    /// Hears of what happens, on the thread that uses the keychain. Nothing is ever written to standard error.
    public var onNotice: (Notice) -> Void = { _ in }

    /// The keychain that `llavero` itself would use; the desktop may prompt.
    public init(
      kind: KeychainKind? = nil, mayPrompt: Bool = true, passphrase: PassphraseSource? = nil,
      onNotice: @escaping (Notice) -> Void = { _ in }
    ) {
      self.kind = kind
      self.mayPrompt = mayPrompt
      self.passphrase = passphrase
      self.onNotice = onNotice
    }
  }

  /// Something that a program may want to say.
  public enum Notice: Hashable, Sendable {
    /// Nothing was chosen before, and the first item that was added makes this the keychain of all of this user's
    /// programs from now on, until `llavero keychain use` says otherwise.
    case remembered(KeychainChoice)
    /// The same, but the choice can't be written down.
    case notRemembered(KeychainChoice, KeychainError)
    /// From the encrypted file.
    case encryptedFile(EncryptedFileKeychain.Notice)
    /// From the Secret Service.
    case secretService(DesktopKeychainSettings.Notice)
  }
}
