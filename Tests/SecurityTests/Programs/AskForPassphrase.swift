import Foundation
import Security

/// Asks for the keychain's passphrase itself, if the system doesn't.
func askForPassphrase(service: String, account: String) throws {
  #if os(Linux)
    SecKeychainSetPassphraseHandler { _ in
      print("asked")
      return readLine(strippingNewline: true).map { Data($0.utf8) }
    }
  #endif
  for (name, interface) in [("fail", kSecUseAuthenticationUIFail), ("allow", kSecUseAuthenticationUIAllow)] {
    printFound(service, account, name, interface, returnsData: name == "allow")
  }
}
