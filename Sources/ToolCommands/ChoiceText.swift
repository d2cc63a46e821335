import EncryptedFile
package import Keychain
package import KeychainChoice

extension ListedKeychain {
  /// - Throws: ``KeychainError`` if there is no such keychain.
  package static func named(_ name: String) throws(KeychainError) -> ListedKeychain {
    let location = try VaultLocation()
    let choice = try KeychainChoice.made(named: name, at: location)
    guard let choice else { throw .noKeychain(name) }
    return choice.keychain
  }
}

extension KeychainChoice {
  /// Worded to follow the keychain's name.
  package var reasonText: String {
    switch reason {
    case .option: "chosen by --keychain"
    case .environment: "chosen by LLAVERO_KEYCHAIN"
    case .remembered(let date): date.map { "remembered on \("\($0)".prefix(10))" } ?? "remembered"
    case .made: "made just now"
    case .vaultIsThere: "which is there already"
    case .isForwarded: "because ssh forwards it to this machine"
    case .answers: "because a Secret Service answers"
    case .isServed: "because llavero itself provides the Secret Service from it"
    case .noService(.noCollection): "because the Secret Service has no collection yet that lasts"
    case .noService(.unavailable(let why)): "because no Secret Service can be used (\(why))"
    case .noService(let why): "because no Secret Service can be used (\(why.message))"
    }
  }

  /// The reason in a word, for programs.
  package var reasonName: ByteString {
    switch reason {
    case .option: "option"
    case .environment: "environment"
    case .remembered: "remembered"
    case .made: "made"
    case .vaultIsThere: "vault-exists"
    case .isForwarded: "is-forwarded"
    case .answers: "service-answers"
    case .isServed: "is-served"
    case .noService: "no-service"
    }
  }
}
