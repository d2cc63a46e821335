/// The kinds of keychain, by the names that people choose them with.
public enum KeychainKind: String, CaseIterable, Hashable, Sendable {
  /// The encrypted file.
  case file
  /// The desktop's Secret Service.
  case secretService = "secret-service"
}
