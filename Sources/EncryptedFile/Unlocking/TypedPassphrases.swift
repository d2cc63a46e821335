import Keychain

/// What was typed while one operation opens several files, perhaps with one passphrase: nobody is asked for it twice, and
/// a descriptor gives it only once.
final class TypedPassphrases {
  private final class Typed {
    let passphrase: Secret
    init(_ passphrase: consuming Secret) { self.passphrase = passphrase }
  }

  private let source: PassphraseSource
  private var typed: [Typed] = []

  init(_ source: @escaping PassphraseSource) { self.source = source }

  /// Gives what was typed before, in its order, and then what the source gives.
  func passphrase(_ attempt: Int) throws(KeychainError) -> Secret? {
    if typed.indices.contains(attempt - 1) { return typed[attempt - 1].passphrase.copy() }
    guard let new = try source(attempt) else { return nil }
    typed.append(Typed(new.copy()))
    return new
  }
}
