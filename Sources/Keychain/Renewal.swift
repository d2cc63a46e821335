/// What an item whose time is over gives to somebody who can have its secret renewed: all but the secret.
public struct Renewal: ~Copyable, Sendable {
  /// The item.
  public let item: Item
  /// When its secret stopped being of use, in seconds since the Unix epoch.
  public let expiry: Int64
  /// What a new secret can be had for. Never empty.
  public let refreshToken: Secret

  /// Takes what `credential` gives without its secret; `nil` if that is nothing that a new one can be had for.
  init?(_ item: Item, _ credential: borrowing Credential) {
    guard credential.isRenewable, let expiry = credential.expiry,
      let refreshToken = credential.copyOfRefreshToken()
    else { return nil }
    self.item = item
    self.expiry = expiry
    self.refreshToken = refreshToken
  }
}

/// What a keychain has for somebody who can have a secret renewed.
public enum AnswerOrRenewal: ~Copyable, Sendable {
  /// An item answers.
  case answer(Answer)
  /// What would answer has expired, and can be renewed.
  case renewal(Renewal)
}

extension Credential {
  /// Whether it has something that a new secret can be had for.
  var isRenewable: Bool {
    switch refreshToken {
    case .none: false
    case .some(let token): !token.isEmpty
    }
  }
}
