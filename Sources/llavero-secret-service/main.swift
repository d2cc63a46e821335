import Commands
import Keychain
import SecretService

prepareProcess()
Program.main(
  secretService: SecretServiceProvider(
    open: { (settings) throws(KeychainError) in try SecretServiceKeychain(settings) },
    diagnose: SecretServiceKeychain.diagnose))
