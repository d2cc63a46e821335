import Commands
import Keychain
import SecretService
import SecretServiceProvider
import ToolCommands

prepareProcess()
let provider = SecretServiceAccess(
  open: { (settings) throws(KeychainError) in try SecretServiceKeychain(settings) },
  diagnose: SecretServiceKeychain.diagnose,
  serve: ServeProgram.serve, owner: ServeProgram.owner,
  rereadActivation: ServeProgram.rereadActivation, callers: ServeProgram.callers)
if Program.name == SecretServiceCompanion.screenWatch { ScreenLock.watch() }
if Program.name == ProgramAsker.name { ProgramAsker.main() }
if Program.name == ForwardAnswerProgram.name { ForwardAnswerProgram.main(secretService: provider) }
LlaveroProgram.main(secretService: provider)
