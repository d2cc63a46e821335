import Bytes
import Forwarding
import Keychain
import KeychainChoice
import SecretService
import ToolCommands

/// The keychain forwarded to this machine, as it is served. None of it is stored here.
enum ServedForwarded {
  /// The tool reported to the other machine, for its rules and its log.
  private static let tool: ByteString = "secret-service"
  /// How many milliseconds a look at the items stays valid.
  private static let freshness = 1000
  /// How many secrets are read at a time, and so how many questions wait on the other machine. Its agent shows four
  /// from one ssh login.
  private static let readers = 4

  static func settings(_ options: ServeOptions, on bus: String) throws(KeychainError) -> ProviderSettings {
    if options.idle != nil {
      throw .failure("--idle locks a file; a keychain of another machine is locked there", status: .usage)
    }
    var settings = ProviderSettings(
      busAddress: bus, replaces: options.replaces,
      open: { () throws(KeychainError) in
        let keychain = try KeychainEnvironment().forwardedKeychain(for: tool)
        keychain.holdsAnswers = false
        return keychain
      },
      readAll: { (keychain) throws(KeychainError) in try keychain.items(matching: .all) },
      isAsSeen: { _ in false },
      // Only the other machine knows, and a look finds out.
      lockState: { .unlocked }, lock: { false }, unlockProgram: nil, unlockWithPassphraseProgram: [],
      idle: nil, onServing: {})
    settings.freshness = freshness
    settings.readers = readers
    settings.question = ItemTranslation.question
    settings.whileWanted = { ($0 as? ForwardedKeychain)?.isWanted = $1 }
    settings.furtherName = BusName.forwarded
    return settings
  }
}
