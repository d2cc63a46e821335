import Keychain

// What errors mean for the copies.

extension KeychainError.OpenBaoFault {
  /// Whether it isn't the server that can't be used.
  var isOfThisMachine: Bool {
    switch self {
    case .noLogin, .nobodyLoggedIn, .noNetworkProgram: true
    default: false
    }
  }

  /// Whether the server can't be asked at present, whatever it would say.
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
  /// Whether the login is one that the server no longer accepts.
  var endsCopies: Bool {
    switch self {
    case .openBao(_, .tokenRefused), .openBao(_, .loginRefused): true
    default: false
    }
  }
}
