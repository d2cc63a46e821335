import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import OpenBaoAccess
import Terminals

/// Opens keychains on servers. What logs in to them is in the person's own keychain: the one that new items go to, if that
/// isn't shared, else the encrypted file.
struct RemoteKeychains {
  private let selection: KeychainSelection
  private let provider: SecretServiceAccess?
  private let location: VaultLocation

  init(_ selection: KeychainSelection, _ provider: SecretServiceAccess?, _ location: VaultLocation) {
    self.selection = selection
    self.provider = provider
    self.location = location
  }

  /// Whether a person's own keychain is the Secret Service, which only the companion can reach.
  static func logInFromSecretService(_ location: VaultLocation) -> Bool {
    let remembered = (try? RememberedKeychain.read(in: location.stateFolder)) ?? nil
    return remembered?.name == KeychainKind.secretService.rawValue
  }

  /// Opens a keychain of the search list.
  ///
  /// - Throws: ``KeychainChoiceError``
  func open(_ keychain: ListedKeychain) throws(KeychainChoiceError) -> any KeychainStore {
    let settings: OpenBaoSettings
    do throws(OpenBaoSettings.Fault) {
      settings = try OpenBaoSettings(
        place: keychain.place, options: keychain.options.map { ($0.name, $0.value) })
    } catch {
      throw .keychain(.unavailable(reason: "its settings in the list are wrong: \(error.text)"))
    }
    let opener = OpenBaoOpener(keychain.name, settings, at: location) { () throws(KeychainError) in
      try personal()
    }
    do throws(KeychainError) {
      return try opener.open()
    } catch {
      throw .keychain(error)
    }
  }

  /// The person's own keychain; `nil` if there is none yet.
  private func personal() throws(KeychainError) -> (any KeychainStore)? {
    var own = ListedKeychain(builtIn: .file)
    let remembered = (try? RememberedKeychain.read(in: location.stateFolder)) ?? nil
    if let name = remembered?.name,
      let keychain = try? KeychainList.read(in: location.stateFolder).keychain(named: name),
      !keychain.kind.isShared
    {
      own = keychain
    }
    if own.isBuiltIn, own.kind == .file, !(try EncryptedFileKeychain(at: location).exists()) { return nil }
    let selected = SelectedKeychain(
      selection, location, KeychainChoice(own, reason: .option), KeychainList(), provider: provider)
    do throws(Failure) {
      return try selected.open().own
    } catch {
      throw error.cause ?? .unavailable(reason: error.message)
    }
  }
}
