import EncryptedFile
import Keychain
package import KeychainChoice
import PrivateFiles

extension OpenKeychain {
  /// Remembers the choice after something has been stored. A failure is only reported, because the item is stored.
  ///
  /// - Parameter isSaid: whether to tell the user.
  package func remember(isSaid: Bool = true) {
    if !choice.isToBeRemembered { return }
    let written: Durability?
    do throws(KeychainError) {
      written = try writeChoice()
    } catch {
      return StandardStreams.say(
        "stored in the keychain \(choice.name), but that it is the one in use can't be noted: "
          + "\(error.message)")
    }
    if let written { StandardStreams.warn(written) }
    let isWritten = written != nil
    if isWritten, case .noService(.noCollection) = choice.reason {
      // Tools say it, too, because a desktop that is set up later wouldn't have these logins.
      StandardStreams.say(
        "logins are kept in the encrypted file from now on, \(choice.reasonText); 'llavero keychain create' makes one, "
          + "and then 'llavero keychain use secret-service' uses it")
      return
    }
    if !isSaid { return }
    if !isWritten {
      if let chosen = try? RememberedKeychain.read(in: location.stateFolder)?.name, chosen != choice.name {
        StandardStreams.say(
          "this is in the keychain \(choice.name); new items go to \(chosen), which was chosen meanwhile")
      }
      return
    }
    switch choice.reason {
    case .answers:
      StandardStreams.say(
        "logins are kept in the desktop's Secret Service from now on; 'llavero keychain use file' changes that"
      )
    case .noService:
      StandardStreams.say(
        "logins are kept in the encrypted file from now on, \(choice.reasonText)")
    default: break
    }
  }
}
