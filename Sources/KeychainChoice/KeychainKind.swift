/// The kinds of keychain, with the names by which people choose them.
public enum KeychainKind: String, CaseIterable, Hashable, Sendable {
  /// The encrypted file.
  case file
  /// The desktop's Secret Service.
  case secretService = "secret-service"
  /// The keychain of another machine, which ssh forwards to this one.
  case forwarded
}
