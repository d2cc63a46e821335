import EncryptedFile
import Keychain
import KeychainChoice
import TestSupport

@testable import DefaultKeychain

/// A separate home in which no keychain was chosen.
final class Home {
  let folder = TemporaryFolder()
  /// The private keyring that the environment names; `nil` if there is no bus.
  let keyring: PrivateKeyring?
  var variables: [String: String]

  init(keyring: PrivateKeyring? = nil) {
    self.keyring = keyring
    variables = [
      "HOME": folder.path, "XDG_RUNTIME_DIR": folder["run"],
      "DBUS_SESSION_BUS_ADDRESS": keyring?.address ?? "unix:path=" + folder["nothing"],
      // Many of these run at once on machines with few cores.
      "LLAVERO_PROBE_TIMEOUT": "30", "LLAVERO_CALL_TIMEOUT": "30",
    ]
    folder.makeFolder("run")
  }

  var location: VaultLocation {
    VaultLocation(
      vaultFolder: folder[".local/share/llavero"], stateFolder: folder[".local/state/llavero"])
  }

  var environment: KeychainEnvironment { KeychainEnvironment { [variables] in variables[$0] } }

  /// The notices, in order.
  let notices = Collected<DefaultKeychain.Notice>()

  func keychain(
    kind: KeychainKind? = nil, mayPrompt: Bool = false, passphrase: PassphraseSource? = nil
  ) throws(KeychainError) -> DefaultKeychain {
    let settings = DefaultKeychain.Settings(
      kind: kind, mayPrompt: mayPrompt, passphrase: passphrase, onNotice: { [notices] in notices.append($0) })
    return try DefaultKeychain(settings, environment: environment)
  }

  /// The kind that was remembered.
  var remembered: KeychainKind? {
    get throws {
      try RememberedKeychain.read(in: location.stateFolder).flatMap { KeychainKind(rawValue: $0.name) }
    }
  }
}

extension DefaultKeychain {
  /// The accounts of all items.
  func accounts() throws(KeychainError) -> [ByteString] {
    try items(matching: .all).compactMap { item in
      if case .internetPassword(let key) = item.key { key.account } else { nil }
    }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
