import Bytes
public import Keychain

/// The askpass program of git, ssh, ssh-add, sudo and wget: a prompt as the only argument, the answer as one line.
///
/// A process gets a stored answer only once. It would ask again only if the first answer was rejected, and repeated
/// wrong answers lead to a lockout. Without an answer in the keychain, the question is handed over: to the former
/// askpass program, to the dialog of this machine, or to the person at the terminal.
public enum AskpassProtocol: ToolProtocol {
  /// The program to ask if the keychain has no answer.
  public static let options: [ToolOption] = [.value("--fallback")]

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero-askpass [OPTION...] [--fallback PROGRAM] PROMPT

    Git, ssh, ssh-add, sudo and wget call this by themselves after:

      export GIT_ASKPASS=llavero-askpass
      export SSH_ASKPASS=llavero-askpass SSH_ASKPASS_REQUIRE=force
      export SUDO_ASKPASS=/usr/local/bin/llavero-askpass       (then: sudo -A)
      wget --use-askpass=/usr/local/bin/llavero-askpass URL

    It answers what the keychain has an answer for, once. Other questions go to
    PROGRAM, or to that of the variable LLAVERO_ASKPASS_FALLBACK, else to an
    ssh-askpass where there is a display, else to the terminal; see
    llavero-askpass(1).

    """

  /// Answers one question.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    guard call.operands.count == 1, let text = call.operands.first else {
      throw .misused("this is for git, ssh and others to call", hint: "see 'llavero-askpass --help'")
    }
    let caller = call.caller
    let isByWget = caller.isWget
    if isByWget, let answer = WgetLogin.onCommandLine(text, caller) { return try write(answer, call) }
    let refusal: Failure
    do throws(KeychainError) {
      guard let why = try answer(text, call, caller) else { return 0 }
      refusal = why
    } catch {
      refusal = call.refusal(for: error)
    }
    let handing = AskpassHandingOver(call, caller, text)
    if isByWget { return try write(try handing.forWget(refusal), call) }
    return try handing.answer(refusal)
  }

  /// Writes an answer of one line.
  static func write(_ answer: borrowing Secret, _ call: any ToolCall) throws(KeychainError) -> Int32 {
    var line = answer.copy()
    line.append("\n")
    try call.write(line)
    return 0
  }

  private static func answer(
    _ text: ByteString, _ call: any ToolCall, _ caller: any Caller
  ) throws(KeychainError) -> Failure? {
    // With this variable ssh asks for a yes or no, or shows a message (ssh(1), SSH_ASKPASS).
    if call.variable("SSH_ASKPASS_PROMPT").nonEmpty != nil { return forAPerson }
    guard let prompt = AskpassPrompt(text) else { return forAPerson }
    let program = caller.programName
    // A server controls the end of ssh's prompts, and must not get another host's password.
    if let family = program.flatMap(AskpassPrompt.Family.init(ofProgram:)), family != prompt.family {
      return forAPerson
    }
    let resolver = try Resolver(call)
    guard let answer = try find(prompt, resolver, caller, isByWget: caller.isWget) else {
      return Failure(
        "the keychain has nothing for \(prompt.name)", hint: prompt.hint(call, caller),
        status: .nothingMatched)
    }
    let line: Secret
    switch prompt {
    case .account:
      guard let account = answer.item.key.account.nonEmpty else {
        return Failure("the login for \(prompt.name) has no account", status: .nothingMatched)
      }
      line = Secret(copying: account)
    default: line = answer.credential.secret.copy()
    }
    guard line.withUnsafeBytes({ !$0.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 } }) else {
      return Failure("the answer for \(prompt.name) is not one line", status: .keychain)
    }
    // wget asks before it knows whether it needs an answer, and again for each URL.
    if !caller.isWget, try !caller.notesAnswer(to: text) {
      return Failure(
        "the answer for \(prompt.name) was given to this program before, and isn't given again",
        status: .nothingMatched)
    }
    _ = try write(line, call)
    return nil
  }

  private static var forAPerson: Failure { Failure("that question is for a person", status: .nothingMatched) }

  private static func find(
    _ prompt: AskpassPrompt, _ resolver: Resolver, _ caller: any Caller, isByWget: Bool
  ) throws(KeychainError) -> Answer? {
    switch prompt {
    case .account(let place):
      if isByWget { return try resolver.onlyAnswer(at: place.protocol, place.server) }
      return try resolver.answer(toPersonAt: place) { item, credential in
        credential.authenticationScheme == nil && item.key.account.nonEmpty != nil
      }
    case .password(let place, let account):
      if isByWget { return try resolver.onlyAnswer(at: place.protocol, place.server, account: account) }
      return try resolver.answer(toPersonAt: place, account: account)
    case .login(let server, let account):
      return try resolver.onlyAnswer(at: "ssh", server, account: account)
    case .key(let file):
      for path in caller.paths(of: file) {
        let service = ByteString(Array("ssh-key:".utf8) + path.bytes)
        if let answer = try resolver.answer(toPersonForService: service) { return answer }
      }
      return nil
    case .user(let account): return try resolver.answer(toPersonForService: "sudo", account: account)
    }
  }
}

extension AskpassPrompt {
  /// How to store what ssh and sudo ask for. For git and wget, a remedy where a token has a name of its own: this program
  /// only gives the password for the requested name.
  fileprivate func hint(_ call: any ToolCall, _ caller: any Caller) -> Hint? {
    switch self {
    case .account, .password(_, nil): return nil
    case .password(let place, let account?):
      let key = place.key(account: account, for: nil)
      guard let name = call.nameForAll(at: key, isTakenOver: true), name != account else { return nil }
      return """
        tokens there have the name \(prose: name); leave the name out of the URL, or run 'llavero setup git'
        """
    case .login(let server, let account):
      return "store it with \(command: "llavero", "add", "ssh://\(server)", "--account", account)"
    case .key(let file):
      let path = caller.paths(of: file).first ?? file
      return "store its passphrase with \(command: "llavero", "add", "--service", "ssh-key:\(path)")"
    case .user(let account):
      return "store it with \(command: "llavero", "add", "--service", "sudo", "--account", account)"
    }
  }

  /// The subject of the question, for messages.
  fileprivate var name: String {
    switch self {
    case .account(let place), .password(let place, nil): place.name
    case .password(let place, let account?): "\(account) at \(place.name)"
    case .login(let server, let account): "\(account) at ssh://\(server)"
    case .key(let file): "the key \(file)"
    case .user(let account): "\(account) of sudo"
    }
  }
}
