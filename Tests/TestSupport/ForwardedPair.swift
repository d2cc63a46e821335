package import Bytes
package import Forwarding
package import Keychain

extension ForwardedKeychain {
  /// A keychain whose other side is in the same process: each request goes through its encoded form, and so does each
  /// response.
  ///
  /// - Parameters:
  ///   - keychain: opens the keychain that is offered, for each request.
  ///   - permissions: what may be done with it; everything, if nothing is said.
  ///   - asks: decides what is asked, and returns the permissions from then on.
  package convenience init(
    to keychain: @escaping () -> any KeychainStore, tool: ByteString = "git",
    permissions: Permissions = .everything, clock: @escaping () -> Timestamp = { .now },
    asks: @escaping (ForwardingService.Question) -> Permissions? = { _ in nil }
  ) {
    self.init(tool: tool) { (text) throws(KeychainError) -> Secret in
      guard let request = text.withUnsafeBytes({ try? ForwardRequest(parsing: $0) }) else {
        return ForwardResponse.fault(.malformed).encoded
      }
      var permissions = permissions
      while true {
        switch ForwardingService(keychain(), permissions).answer(request, at: clock()) {
        case .response(let response): return response.encoded
        case .hidden: return ForwardResponse.items([], nil).encoded
        case .asks(let question):
          guard let next = asks(question) else { return ForwardResponse.fault(.refused).encoded }
          permissions = next
        }
      }
    }
  }
}

extension Permissions {
  /// The permission to do everything.
  package static let everything = Permissions(
    hosts: [[ForwardingRule(.allow, .socket("test"), .everywhere, mayChange: true)]])
}
