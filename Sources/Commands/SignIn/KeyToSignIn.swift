import Keychain
import ToolCommands

extension NamedPlace {
  /// The key of a place for which to ask a server for tokens.
  ///
  /// - Throws: ``KeychainError`` as ``key()`` does, and for a host without a sure name for name servers.
  func keyToSignIn() throws(KeychainError) -> Item.Key {
    let key = try key()
    if let refusal = key.refusalOfName { throw refusal }
    return key
  }
}

extension Item.Key {
  /// Why nobody can ask the host by its name, if that has letters beyond ASCII and no sure name for name servers.
  var refusalOfName: KeychainError? {
    guard case .internetPassword(let place) = self, let server = place.server,
      server.bytes.contains(where: { $0 >= 0x80 }), HostForms.forNameServers(server) == nil
    else { return nil }
    return .failure(
      "programs write the name \(server) in different ways, so nobody can sign in there by it",
      hint: "use the form that begins with xn--, which 'idn2' prints", status: .usage)
  }
}
