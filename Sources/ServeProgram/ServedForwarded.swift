import Bytes
import Forwarding
import Keychain
import KeychainChoice
import SecretService
import SecretServiceProvider
import Terminals
import ToolCommands

/// The keychain that is forwarded to this machine, as it is served. Nothing of it is stored here.
enum ServedForwarded {
  /// The tool that the other machine is told, for its rules and its log.
  private static let tool: ByteString = "secret-service"
  /// For how many milliseconds a look at what is there counts.
  private static let freshness = 1000
  /// How many secrets are read at a time, and how many questions wait there. Its agent shows four of one login by ssh.
  private static let readers = 4

  /// - Parameter bus: the address of the bus.
  static func settings(_ options: ServeOptions, on bus: String) throws(Failure) -> ProviderSettings {
    if options.idle != nil {
      throw Failure("--idle locks a file; a keychain of another machine is locked there", status: .usage)
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
      // Only the other machine knows. A look finds it out.
      lockState: { .unlocked }, lock: { false }, unlockProgram: nil, unlockWithPassphraseProgram: [],
      idle: nil, onServing: {}, explain: { Failure($0).message }, say: { StandardStreams.say("\($0)") })
    settings.freshness = freshness
    settings.readers = readers
    settings.question = ItemTranslation.question
    settings.whileWanted = { ($0 as? ForwardedKeychain)?.isWanted = $1 }
    settings.furtherName = SecretServiceKeychain.forwardedServiceName
    return settings
  }
}
