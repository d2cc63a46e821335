import Bytes
import Keychain
package import SignIn

/// A keychain's place: the nodes of a server, and the folder in its key-value store.
package struct OpenBaoServer: Equatable, Sendable {
  /// The nodes' addresses, at least one.
  package let addresses: [EndpointURL]
  /// The namespace, without surrounding slashes; empty for the root.
  package let namespace: String
  /// The mount of the key-value store, without surrounding slashes.
  package let mount: String
  /// The keychain's folder in the mount, without surrounding slashes; empty for all of it.
  package let folder: String

  /// - Precondition: there is an address, and the others satisfy ``PlainPath/isOne(_:)``, or are empty where that is
  ///   allowed.
  package init(_ addresses: [EndpointURL], namespace: String = "", mount: String, folder: String = "") {
    precondition(
      !addresses.isEmpty && PlainPath.isOne(mount) && (namespace.isEmpty || PlainPath.isOne(namespace))
        && (folder.isEmpty || PlainPath.isOne(folder)), "a place that requests can name")
    self.addresses = addresses
    self.namespace = namespace
    self.mount = mount
    self.folder = folder
  }

  /// The first address without a path: the server's name in messages.
  package var name: String { addresses[0].origin }

  /// The URL of the server's logins in a person's own keychain: the first address, with the namespace as its path.
  package var url: String { namespace.isEmpty ? name : name + "/" + namespace }

  /// The URL of a request.
  ///
  /// - Parameter path: the path after `/v1/`.
  func url(_ path: String, at address: EndpointURL) -> EndpointURL {
    // A proxy may serve it below a path.
    var base = address.pathAndQuery.prefix { $0 != "?" }
    while base.hasSuffix("/") { base.removeLast() }
    return address.at(unreserved: base + "/v1/" + path)
  }

  /// The path of a record in one of the store's interfaces: `data`, `metadata`, `delete`, …
  func path(_ interface: String, _ item: String) -> String {
    [mount, interface, folder, item].filter { !$0.isEmpty }.joined(separator: "/")
  }
}

extension OpenBaoServer {
  func error(_ fault: OpenBaoFault.Reason) -> KeychainError { .openBao(server: name, fault) }

  func notUnderstood(_ reply: borrowing ServerReply) -> KeychainError {
    error(.notUnderstood(status: reply.status))
  }

  /// Reads a reply.
  ///
  /// - Throws: ``OpenBaoFault/Reason/notUnderstood(status:)`` if it is malformed.
  func understood<Result: ~Copyable>(
    _ reply: borrowing ServerReply,
    _ read: (borrowing ServerReply) throws(JSONReader.Malformed) -> Result
  ) throws(KeychainError) -> Result {
    do throws(JSONReader.Malformed) {
      return try read(reply)
    } catch {
      throw notUnderstood(reply)
    }
  }

  /// Reads the members of the object in the reply's member `data`.
  ///
  /// - Throws: as ``understood(_:_:)`` does.
  func data(
    of reply: borrowing ServerReply,
    _ body: (_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) -> Void
  ) throws(KeychainError) {
    try understood(reply) { (reply) throws(JSONReader.Malformed) in
      try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
        try JSONReader.members(of: data, body)
      }
    }
  }
}
