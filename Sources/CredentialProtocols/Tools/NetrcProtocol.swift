public import Keychain

/// `llavero netrc`: prints logins as lines of a netrc file, for clients that can read one from a pipe.
public enum NetrcProtocol: ToolProtocol {
  /// The hosts to print.
  public static let options: [ToolOption] = [.value("--host")]

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero netrc [OPTION...] [--host HOST[:PORT]]...

    Prints logins as lines of a netrc file: those for the hosts, or for all hosts.
    For a pipe; not for a file, and never on a terminal:

      curl --netrc-file <(llavero netrc --host files.example) https://files.example/

    For programs that need a file there is 'llavero run --netrc-file'; see
    llavero-run(1).

    """

  /// Prints the lines.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    guard call.operands.isEmpty else {
      throw .misused("'llavero netrc' takes no operands", hint: "name a host with --host")
    }
    if call.isOutputTerminal {
      throw .misused(
        "standard output is a terminal, which would show every secret",
        hint: "give it to the program: curl --netrc-file <(llavero netrc) URL")
    }
    try call.begin()
    try call.write(
      try NetrcText.text(for: call.values(of: "--host"), in: try call.keychain(), at: call.now))
    return 0
  }
}
