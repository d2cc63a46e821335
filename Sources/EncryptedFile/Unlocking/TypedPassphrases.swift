import Keychain

/// The passphrases typed during one operation on several files, perhaps with the same passphrase. Nobody is asked
/// twice for it, and a descriptor provides it only once.
final class TypedPassphrases {
  private final class Typed {
    let passphrase: Secret
    init(_ passphrase: consuming Secret) { self.passphrase = passphrase }
  }

  private let source: PassphraseSource
  private var typed: [Typed] = []

  init(_ source: @escaping PassphraseSource) { self.source = source }

  /// Returns the typed ones first, in order, and then the source's.
  func passphrase(_ attempt: Int) throws(KeychainError) -> Secret? {
    if typed.indices.contains(attempt - 1) { return typed[attempt - 1].passphrase.copy() }
    guard let new = try source(attempt) else { return nil }
    typed.append(Typed(new.copy()))
    return new
  }
}
