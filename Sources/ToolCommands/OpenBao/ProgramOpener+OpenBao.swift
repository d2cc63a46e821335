import Bytes
import EncryptedFile
package import Keychain
package import KeychainChoice
import OpenBao

/// Opens keychains in OpenBao. Their logins are in the person's own keychain: the one for new items, if that
/// isn't shared, else the encrypted file.
extension ProgramOpener {
  package func openRemote(_ keychain: ListedKeychain) throws(KeychainError) -> any RemoteKeychain {
    // A person who names a keychain wants its present state. With git, somebody waits who didn't ask.
    let opener = try openBao(keychain, isInsistent: !selection.isForTool && selection.name != nil)
    return opener.open(
      refreshLater: { CopyRefresher.start(keychain.name, $0) },
      onNotice: { [selection] notice in
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

  /// Why a keychain can't be used now, as far as that can be told without asking anybody; `nil` if it can, or if its login
  /// is where this program can't look.
  func obstacle(of keychain: ListedKeychain) -> KeychainError? {
    if KeychainChoice.personal(at: location).kind.needsCompanion, Program.secretService == nil { return nil }
    do throws(KeychainError) {
      guard case .unavailable(let error) = try openRemote(keychain).probe() else { return nil }
      return error
    } catch {
      return error
    }
  }

  func openBao(_ keychain: ListedKeychain, isInsistent: Bool) throws(KeychainError) -> OpenBaoOpener {
    let settings: OpenBaoSettings
    do throws(OpenBaoSettings.Fault) {
      settings = try OpenBaoSettings(
        place: keychain.place, options: keychain.options.map { ($0.name, $0.value) })
    } catch {
      throw .unavailable(reason: "its settings in the list are wrong: \(error.text)")
    }
    return OpenBaoOpener(
      keychain.name, settings, at: location, isInsistent: isInsistent, isForTool: selection.isForTool,
      isListed: { self.lists(keychain.name) }
    ) { () throws(KeychainError) in
      try self.personal()
    }
  }

  /// Whether a keychain is in the list now. If the list can't be read, it may be.
  private func lists(_ name: String) -> Bool {
    guard let list = try? KeychainList.read(in: location.stateFolder) else { return true }
    return list.keychain(named: name) != nil
  }

  /// The person's own keychain; `nil` if there is none yet.
  private func personal() throws(KeychainError) -> (any KeychainStore)? {
    let own = KeychainChoice.personal(at: location)
    if own.isBuiltIn, own.kind.isFile, !(try EncryptedFileKeychain(at: location).exists()) { return nil }
    return try ProgramOpener(selection, location, KeychainChoice(own, reason: .option)).open().own
  }
}
