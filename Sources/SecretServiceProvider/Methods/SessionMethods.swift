import SecretService

extension Provider {
  /// The methods of a session (Secret Service draft 0.2, "org.freedesktop.Secret.Session").
  func answer(_ call: MethodCall, of session: ServedSession) throws(ServiceError) {
    guard call.member == "Close" else { throw .unknownMethod }
    try call.arguments()
    sessions.close(session)
    call.answer()
  }
}
