import ToolCommands

ToolProgram.main()
