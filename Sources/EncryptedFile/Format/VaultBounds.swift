enum VaultBounds {
  /// The largest plaintext to write, in bytes.
  static let plaintext = 64 << 20
  /// The largest file to read, in bytes: the plaintext, the tags of its chunks, and age's largest header.
  static let file = 72 << 20
  static let slots = 512
  /// The largest number of slots not for keys. On each, a passphrase takes a second, before anything is authenticated.
  static let slotsThatTakeLong = 32
  /// The largest identity file in bytes.
  static let identityFile = 64 << 10
}
