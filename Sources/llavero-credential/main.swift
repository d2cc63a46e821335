import ToolCommands

CredentialProgram.main()
