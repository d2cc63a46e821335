import Keychain
import OpenBao

// The consequences of errors for the copies.

extension OpenBaoFault.Reason {
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
    switch ofOpenBao {
    case .tokenRefused, .loginRefused: true
    default: false
    }
  }

  /// The fault, if the server can't be asked at present.
  var outage: OpenBaoFault.Reason? { ofOpenBao.flatMap { $0.isOutage ? $0 : nil } }
}
