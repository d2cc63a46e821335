import Bytes
import Keychain
import SecretService

extension Provider {
  /// The methods by which gnome-keyring's own programs unlock it without a display.
  func answerKeyring(_ call: MethodCall) throws(ServiceError) {
    switch call.member {
    case "UnlockWithMasterPassword":
      let arguments = try call.arguments()
      guard case .collection(let collection) = object(at: arguments[0].text, for: call.sender) else {
        throw .noSuchObject
      }
      let (passphrase, _) = try secret(arguments[1], from: call.sender)
      update()
      unlockUnasked([collection.name])
      if !isLocked(collection.name) { return call.answer() }
      // Each try takes a processor for a second.
      if isTryingPassphrase { throw .limitsExceeded("another password is being tried") }
      let program = ChildProgram(settings.unlockWithPassphraseProgram, input: passphrase) {
        [weak self] ending in
        self?.isTryingPassphrase = false
        guard ending.hasSucceeded, let self else { return call.refuse(.wrongPassphrase) }
        unlock([collection.name])
        load { call.answer() }
      }
      if program == nil { throw .failed("the keychain could not be unlocked") }
      isTryingPassphrase = true
    case "CreateWithMasterPassword", "ChangeWithMasterPassword", "ChangeWithPrompt":
      throw .notSupported("the keychain has one passphrase for all collections; see 'llavero passphrase'")
    default: throw .unknownMethod
    }
  }
}
