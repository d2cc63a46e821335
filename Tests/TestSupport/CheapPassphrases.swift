package import EncryptedFile

extension EncryptedFileKeychain {
  /// The keychain, whose new passphrases take two milliseconds of work instead of a second.
  package var withCheapPassphrases: EncryptedFileKeychain {
    newPassphraseWork = 10
    return self
  }
}
