import Bytes
import Keychain

/// A question that the keychain can't answer, and who is asked in its place. Whoever is handed a question hands it to
/// nobody else, so that programs that call each other come to an end.
struct AskpassHandingOver {
  /// The program to ask; empty if nobody is to be asked.
  static let fallbackVariable = "LLAVERO_ASKPASS_FALLBACK"
  /// Set if this is to ask for what opens the keychain itself.
  private static let askingVariable = "LLAVERO_ASKING"

  private let call: any ToolCall
  private let caller: any Caller
  private let text: ByteString

  init(_ call: any ToolCall, _ caller: any Caller, _ text: ByteString) {
    self.call = call
    self.caller = caller
    self.text = text
  }

  /// Hands the question over, and returns the exit status.
  ///
  /// - Parameter refusal: why the keychain has no answer.
  /// - Throws: ``ProtocolError`` if nobody can be asked.
  func answer(_ refusal: Refusal) throws(ProtocolError) -> Int32 {
    var refusal = afterFallback(refusal)
    // Without an answer, git asks on the terminal by itself, if it may.
    guard mayHandOver, !isByGit || !call.hasTerminal else { throw .refused(refusal) }
    if let program = call.askingProgram {
      tell(refusal)
      refusal = call.become(program, [text], emptying: Self.fallbackVariable)
    }
    guard !isByGit, call.hasTerminal else { throw .refused(refusal) }
    tell(refusal)
    return try askOnTerminal(refusal)
  }

  /// The answer for wget, which ends without any download if there is none, be it one that needs no login. It gets what
  /// it would get without llavero: from the program that it asked before, else what it would use by itself. ssh's program
  /// isn't asked, which would be at each download.
  ///
  /// - Parameter refusal: why the keychain has no answer.
  func forWget(_ refusal: Refusal) throws(ProtocolError) -> Secret {
    tell(afterAsking(call.value(of: "--fallback").nonEmpty ?? WgetLogin.formerAskpass(call), refusal))
    return WgetLogin.own(text, call)
  }

  /// Becomes the program that was set before, if one was. Returns the reason why there is no answer yet.
  private func afterFallback(_ refusal: Refusal) -> Refusal {
    afterAsking((call.value(of: "--fallback") ?? call.variable(Self.fallbackVariable)).nonEmpty, refusal)
  }

  private func afterAsking(_ program: ByteString?, _ refusal: Refusal) -> Refusal {
    guard mayHandOver, let program else { return refusal }
    tell(refusal)
    return call.become(program, [text], emptying: Self.fallbackVariable)
  }

  /// If there is nothing, people notice it by being asked.
  private func tell(_ refusal: Refusal) {
    if refusal.cause != .nothingMatched { call.say(refusal) }
  }

  private var mayHandOver: Bool {
    call.variable(Self.fallbackVariable)?.bytes.isEmpty != true
      && call.variable(Self.askingVariable).nonEmpty == nil
  }

  private var isByGit: Bool {
    let family = caller.programName.flatMap(AskpassPrompt.Family.init(ofProgram:))
    return (family ?? AskpassPrompt(text)?.family) == .git
  }

  private func askOnTerminal(_ refusal: Refusal) throws(ProtocolError) -> Int32 {
    let kind = call.variable("SSH_ASKPASS_PROMPT")
    if kind == "none" {
      call.show(text)
      return 0
    }
    let isConfirmation = kind == "confirm"
    let question = isConfirmation ? ByteString(text.bytes + Array(" (yes/no) ".utf8)) : text
    guard let answer = call.askPerson(question, showsAnswer: isConfirmation || isForOpenAnswer) else {
      throw .refused(refusal)
    }
    let isYes = answer.withUnsafeBytes { $0.elementsEqual("yes".utf8) || $0.elementsEqual("y".utf8) }
    if isConfirmation, !isYes { throw .refused(Refusal("that was refused", .nothingMatched)) }
    return try AskpassProtocol.write(isConfirmation ? Secret("yes") : answer, call)
  }

  /// Whether ssh asks about a host's key, or somebody for a user name: the answer is no secret.
  private var isForOpenAnswer: Bool {
    let ends = [
      "(yes/no)? ", "(yes/no/[fingerprint])? ", "Please type 'yes' or 'no': ",
      "Please type 'yes', 'no' or the fingerprint: ",
    ]
    return ends.contains { text.bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
      || text.bytes.starts(with: "Username for '".utf8)
  }
}
