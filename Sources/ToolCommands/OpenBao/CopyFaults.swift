import Keychain

// The consequences of errors for the copies.

extension KeychainError.OpenBaoFault {
  /// Whether the fault isn't the server's.
  var isOfThisMachine: Bool {
    switch self {
    case .noLogin, .nobodyLoggedIn, .noNetworkProgram: true
    default: false
    }
  }

  /// Whether the server can't be asked at present.
  var isOutage: Bool {
    switch self {
    case .unreachable, .noAnswer, .silent, .tooLong, .sealed, .noActiveNode, .failed, .rateLimited,
      .noLogin, .nobodyLoggedIn, .noNetworkProgram:
      true
    default: false
    }
  }
}

extension KeychainError {
  /// Whether the server no longer accepts the login.
  var endsCopies: Bool {
    switch self {
    case .openBao(_, .tokenRefused), .openBao(_, .loginRefused): true
    default: false
    }
  }
}
