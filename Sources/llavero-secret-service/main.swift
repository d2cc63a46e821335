import Commands
import Keychain
import Processes
import SecretService
import ToolCommands

prepareProcess()
let provider = SecretServiceProvider(
  open: { (settings) throws(KeychainError) in try SecretServiceKeychain(settings) },
  diagnose: SecretServiceKeychain.diagnose)
if Program.name == SecretServiceProgram.screenWatch { ScreenLock.watch() }
if Program.name == AnsweringProgram.name { AnsweringProgram.main(secretService: provider) }
LlaveroProgram.main(secretService: provider)
