import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import OpenBao

/// Opens keychains on servers. Their logins are in the person's own keychain: the one for new items, if that isn't
/// shared, else the encrypted file.
struct RemoteKeychains {
  private let selection: KeychainSelection
  private let location: VaultLocation

  init(_ selection: KeychainSelection, _ location: VaultLocation) {
    self.selection = selection
    self.location = location
  }

  /// Whether a person's own keychain is the Secret Service, which only the companion can reach.
  static func logInFromSecretService(_ location: VaultLocation) -> Bool {
    KeychainChoice.personal(at: location).kind.needsCompanion
  }

  func open(_ keychain: ListedKeychain) throws(KeychainError) -> any RemoteKeychain {
    // A person who names a keychain wants its present state. With git, somebody waits who didn't ask.
    let opener = try opener(of: keychain, isInsistent: !selection.isForTool && selection.name != nil)
    return opener.open(
      refreshLater: { Self.refreshLater(keychain.name, $0) },
      onNotice: { notice in
        switch notice {
        case .answeringFromCopies(let server, let since):
          StandardStreams.say(
            "\(server) can't be used since \(since); the keychain \(keychain.name) answers from copies on this machine"
          )
        case .hidesCopies(let server, let since):
          if selection.isForTool { return }
          StandardStreams.say(
            "\(server) can't be used since \(since); copies of the keychain \(keychain.name) answer, but aren't listed"
          )
        case .listsPart(let server):
          if selection.isForTool { return }
          StandardStreams.say(
            "the policies of \(server) don't let you list all of the keychain \(keychain.name); the rest is not shown"
          )
        }
      })
  }

  private func opener(
    of keychain: ListedKeychain, isInsistent: Bool
  ) throws(KeychainError) -> OpenBaoOpener {
    let settings: OpenBaoSettings
    do throws(OpenBaoSettings.Fault) {
      settings = try OpenBaoSettings(
        place: keychain.place, options: keychain.options.map { ($0.name, $0.value) })
    } catch {
      throw .unavailable(reason: "its settings in the list are wrong: \(error.text)")
    }
    return OpenBaoOpener(
      keychain.name, settings, at: location, isInsistent: isInsistent, isForTool: selection.isForTool,
      isListed: { lists(keychain.name) }
    ) { () throws(KeychainError) in
      try personal()
    }
  }

  /// Whether a keychain is in the list now. If the list can't be read, it may be.
  private func lists(_ name: String) -> Bool {
    guard let list = try? KeychainList.read(in: location.stateFolder) else { return true }
    return list.keychain(named: name) != nil
  }

  // MARK: Renewing copies

  static let refresherName = "llavero-copies"

  /// The longest folder names that a process gets, in bytes.
  private static let maximumNames = 65_536

  /// Has another process renew copies, so that this one can end. Folders name hosts and accounts, so they are not
  /// passed as arguments, which every user of the machine can read.
  private static func refreshLater(_ name: String, _ folders: [String]) {
    var names = Secret()
    for folder in folders { names.append(contentsOf: ByteString(folder.utf8 + [0])) }
    _ = try? DetachedProgram.start("/proc/self/exe", [refresherName, name], input: names)
  }

  /// Renews copies as that process, and ends it. Nobody waits for it, and it asks nobody.
  static func refresh() -> Never {
    StandardStreams.leave()
    let arguments = CString.arguments(from: 1).map(\.text)
    guard let folders = try? folders(from: 0), let name = arguments.first,
      let location = try? VaultLocation(),
      let keychain = try? KeychainList.read(in: location.stateFolder).keychain(named: name)
    else { Program.end(ExitStatus.usage.rawValue) }
    var selection = KeychainSelection(mayPrompt: false)
    selection.mayAsk = false
    selection.isForTool = true
    let remote = RemoteKeychains(selection, location)
    guard let opener = try? remote.opener(of: keychain, isInsistent: true),
      let copied = opener.openToRefresh()
    else {
      Program.end(ExitStatus.keychain.rawValue)
    }
    copied.refresh(folders)
    Program.end(ExitStatus.done.rawValue)
  }

  /// Each is followed by a NUL.
  private static func folders(from descriptor: Int32) throws(KeychainError) -> [String] {
    let names = try StandardStreams.readAll(descriptor, limit: maximumNames, what: "the folders to copy")
    return names.withUnsafeBytes { names in
      names.split(separator: 0).map { String(decoding: UnsafeRawBufferPointer(rebasing: $0), as: UTF8.self) }
    }
  }

  /// The person's own keychain; `nil` if there is none yet.
  private func personal() throws(KeychainError) -> (any KeychainStore)? {
    let own = KeychainChoice.personal(at: location)
    if own.isBuiltIn, own.kind.isFile, !(try EncryptedFileKeychain(at: location).exists()) { return nil }
    let selected = SelectedKeychain(
      selection, location, KeychainChoice(own, reason: .option), KeychainList())
    return try selected.open().own
  }
}
