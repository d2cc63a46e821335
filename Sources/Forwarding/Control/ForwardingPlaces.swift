import EncryptedFile
package import Keychain

package struct ForwardingPlaces {
  /// The folder of the agent's sockets, which disappears when the person logs out.
  package let runtimeFolder: String
  package let rules: String
  package let stateFolder: String
  /// The files of known hosts, the person's first.
  package let knownHosts: [String]

  /// The name of the folder with the forwarding socket, and of the lock beside it.
  package static let folderName = "forward"
  /// The name of each socket, in a folder of its own, which can be mounted elsewhere.
  package static let socketName = "agent"
  /// The name of the lock, held as long as the agent lives.
  package static let lockName = "lock"

  /// - Throws: ``KeychainError/unavailable(reason:)`` without a home.
  package init(
    _ environment: (String) -> String? = VaultLocation.environmentVariable
  ) throws(KeychainError) {
    stateFolder = try VaultLocation(environment: environment).stateFolder
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    guard let home = folder("HOME") else { throw .unavailable(reason: "HOME is not set to an absolute path") }
    let runtime = folder("XDG_RUNTIME_DIR").map { $0 + "/llavero" } ?? stateFolder
    runtimeFolder = runtime + "/" + Self.folderName
    rules = (folder("XDG_CONFIG_HOME") ?? home + "/.config") + "/llavero/forward.rules"
    knownHosts =
      ["\(home)/.ssh/known_hosts", "\(home)/.ssh/known_hosts2"]
      + ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]
  }

  package var namedSockets: String { runtimeFolder + "/sockets" }

  package var controlSocket: String { runtimeFolder + "/control" }

  package var forwardingSocket: String { runtimeFolder + "/" + Self.socketName }
}
