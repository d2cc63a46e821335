import Keychain
import Terminals

extension NamedPlace {
  /// The key of a place that a server is asked for tokens for.
  ///
  /// - Throws: ``Failure`` as ``key()`` does, and for a host that has no sure name for name servers.
  func keyToSignIn() throws(Failure) -> Item.Key {
    let key = try key()
    if case .internetPassword(let place) = key, let server = place.server,
      server.bytes.contains(where: { $0 >= 0x80 }), HostForms.forNameServers(server) == nil
    {
      throw Failure(
        "programs write the name \(server) in different ways, so nobody can sign in there by it",
        hint: "use the form that begins with xn--, which 'idn2' prints", status: .usage)
    }
    return key
  }
}
