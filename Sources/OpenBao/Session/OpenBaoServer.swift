import Keychain
package import SignIn

/// Where a keychain is: the nodes of a server, and the place in its key-value store.
package struct OpenBaoServer: Equatable, Sendable {
  /// The nodes' addresses, at least one.
  package let addresses: [EndpointURL]
  /// The namespace, without slashes at its ends; empty for the root.
  package let namespace: String
  /// Where the key-value store is mounted, without slashes at its ends.
  package let mount: String
  /// The folder of the mount that the keychain is in, without slashes at its ends; empty for all of it.
  package let folder: String

  /// Describes a place.
  ///
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

  /// The first address without a path, as messages name the server.
  package var name: String { addresses[0].origin }

  /// The URL for which a person's own keychain has what logs in: the first address, with the namespace as its path.
  package var url: String { namespace.isEmpty ? name : name + "/" + namespace }

  /// Where a request goes.
  ///
  /// - Parameter path: the path after `/v1/`.
  func url(_ path: String, at address: EndpointURL) -> EndpointURL {
    // A proxy may have the server below a path of its own.
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
  func error(_ fault: KeychainError.OpenBaoFault) -> KeychainError { .openBao(server: name, fault) }

  func notUnderstood(_ reply: borrowing ServerReply) -> KeychainError {
    error(.notUnderstood(status: reply.status))
  }
}
