import Commands
import Keychain
import SecretService
import ToolCommands

prepareProcess()
LlaveroProgram.main(
  secretService: SecretServiceProvider(
    open: { (settings) throws(KeychainError) in try SecretServiceKeychain(settings) },
    diagnose: SecretServiceKeychain.diagnose))
