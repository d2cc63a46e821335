import Bytes
import Keychain

/// A question that the keychain can't answer, and the program or person to ask instead. A question is handed over only
/// once, so that programs that call each other come to an end.
struct AskpassHandingOver {
  /// The program to ask; empty for none.
  static let fallbackVariable = "LLAVERO_ASKPASS_FALLBACK"
  /// Set while the question is for opening the keychain itself.
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
  /// - Throws: ``KeychainError`` if nobody can be asked.
  func answer(_ refusal: Failure) throws(KeychainError) -> Int32 {
    var refusal = afterFallback(refusal)
    // Without an answer, git asks on the terminal by itself, if it may.
    guard mayHandOver, !isByGit || !call.hasTerminal else { throw .described(refusal) }
    if let program = call.askingProgram {
      tell(refusal)
      refusal = call.become(program, [text], emptying: Self.fallbackVariable)
    }
    guard !isByGit, call.hasTerminal else { throw .described(refusal) }
    tell(refusal)
    return try askOnTerminal(refusal)
  }

  /// The answer for wget, which without one ends without downloading anything, even if no login is needed. It gets the
  /// answer that it would get without llavero: from its former askpass program, else the one that it would use by
  /// itself. ssh's program isn't asked, because it would ask at each download.
  ///
  /// - Parameter refusal: why the keychain has no answer.
  func forWget(_ refusal: Failure) throws(KeychainError) -> Secret {
    tell(afterAsking(call.value(of: "--fallback").nonEmpty ?? WgetLogin.formerAskpass(call), refusal))
    return WgetLogin.own(text, call)
  }

  /// Becomes the former program, if there was one. Returns the reason why there is no answer yet.
  private func afterFallback(_ refusal: Failure) -> Failure {
    afterAsking((call.value(of: "--fallback") ?? call.variable(Self.fallbackVariable)).nonEmpty, refusal)
  }

  private func afterAsking(_ program: ByteString?, _ refusal: Failure) -> Failure {
    guard mayHandOver, let program else { return refusal }
    tell(refusal)
    return call.become(program, [text], emptying: Self.fallbackVariable)
  }

  /// Says nothing if no item matched: people notice that by being asked.
  private func tell(_ refusal: Failure) {
    if refusal.status != .nothingMatched { call.say(refusal) }
  }

  private var mayHandOver: Bool {
    call.variable(Self.fallbackVariable)?.bytes.isEmpty != true
      && call.variable(Self.askingVariable).nonEmpty == nil
  }

  private var isByGit: Bool {
    let family = caller.programName.flatMap(AskpassPrompt.Family.init(ofProgram:))
    return (family ?? AskpassPrompt(text)?.family) == .git
  }

  private func askOnTerminal(_ refusal: Failure) throws(KeychainError) -> Int32 {
    let kind = call.variable("SSH_ASKPASS_PROMPT")
    if kind == "none" {
      call.show(text)
      return 0
    }
    let isConfirmation = kind == "confirm"
    let question = isConfirmation ? ByteString(text.bytes + Array(" (yes/no) ".utf8)) : text
    guard let answer = call.askPerson(question, showsAnswer: isConfirmation || isForOpenAnswer) else {
      throw .described(refusal)
    }
    let isYes = answer.withUnsafeBytes { $0.elementsEqual("yes".utf8) || $0.elementsEqual("y".utf8) }
    if isConfirmation, !isYes { throw .failure("that was refused", status: .nothingMatched) }
    return try AskpassProtocol.write(isConfirmation ? Secret("yes") : answer, call)
  }

  /// Whether the answer is no secret: ssh asks about a host's key, or a program for a user name.
  private var isForOpenAnswer: Bool {
    let ends = [
      "(yes/no)? ", "(yes/no/[fingerprint])? ", "Please type 'yes' or 'no': ",
      "Please type 'yes', 'no' or the fingerprint: ",
    ]
    return ends.contains { text.bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
      || text.bytes.starts(with: "Username for '".utf8)
  }
}
