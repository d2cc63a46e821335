import Commands

LlaveroProgram.main()
