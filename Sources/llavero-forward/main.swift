import ForwardProgram

ForwardProgram.main()
