import NetworkProgram

NetworkProgram.main()
