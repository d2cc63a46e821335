import Bytes
import CLinux
package import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice

/// Answers one call by a tool: `docker-credential-llavero get`, or `llavero docker get`.
package enum ToolCommand {
  /// Performs the request, and returns the exit status. Tools call this often, so it starts without ArgumentParser.
  ///
  /// - Parameters:
  ///   - programName: the name that the program was called by, or stands for.
  ///   - first: the index of the tool's first argument.
  package static func run(_ tool: Tool, as programName: String, argumentsFrom first: Int) -> Int32 {
    let arguments = CString.bytesOfArguments(from: first)
    let call = StandardToolCall(tool, as: programName)
    do throws(KeychainError) {
      try call.parse(arguments, tool.speaks.options)
      if call.wantsHelp {
        try StandardStreams.write(raw: tool.speaks.usage)
        return ExitStatus.done.rawValue
      }
      if call.wantsVersion {
        try StandardStreams.write(raw: Program.versionLine)
        return ExitStatus.done.rawValue
      }
      return try tool.speaks.respond(to: call)
    } catch {
      return tool.speaks.refuse(error.failure, call)
    }
  }
}

private final class StandardToolCall: ToolCall {
  let tool: String
  let programName: String
  private(set) var wantsHelp = false
  private(set) var wantsVersion = false
  private var arguments: ToolArguments?
  private var selection = KeychainSelection()
  private var chosenOpener: ProgramOpener?
  private var opened: OpenKeychain?

  init(_ tool: Tool, as programName: String) {
    self.tool = tool.name
    self.programName = programName
    selection.readsSecrets = true
    selection.isForTool = true
    selection.tool = ByteString(tool.name)
  }

  var version: String { Program.wholeVersion }
  var now: Timestamp { .now }

  /// Parses the command line: the options of every tool, the protocol's own, and operands, in any order.
  func parse(_ arguments: [ByteString], _ own: [ToolOption]) throws(KeychainError) {
    self.arguments = try ToolArguments(arguments, of: programName, own) {
      (name, value) throws(KeychainError) in
      switch name {
      case "--help", "-h": wantsHelp = true
      case "--version", "-V": wantsVersion = true
      default:
        return try selection.take(name) { () throws(KeychainError) in "\(try value())" }
      }
      return true
    }
  }

  var operands: [ByteString] { arguments?.operands ?? [] }

  func values(of option: String) -> [ByteString] { arguments?.values(of: option) ?? [] }

  func variable(_ name: String) -> ByteString? {
    getenv(name).map { ByteString(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  var isInputTerminal: Bool { StandardStreams.isTerminal(0) }

  var isOutputTerminal: Bool { StandardStreams.isTerminal(1) }

  var caller: any Caller { CallingProcess() }

  func become(_ program: ByteString, _ arguments: [ByteString], emptying variable: String) -> Failure {
    let words = ([program] + arguments).map(CString.init(copying:))
    if AskpassProgram.isThisProgram(words[0]) {
      return Failure("\(program) is llavero itself, and can't answer in its place", status: .usage)
    }
    let former = CString(variable: variable)
    setenv(variable, "", 1)
    ProcessSettings.takeBack()
    let failure = ProgramSearch.become(words)
    ProcessSettings.make()
    if let former { setenv(variable, former.pointer, 1) } else { unsetenv(variable) }
    return Failure("cannot run \(program): \(errorText(failure))", status: .usage)
  }

  var askingProgram: ByteString? { Program.hasDisplay ? AskpassProgram.ofMachine : nil }

  var hasTerminal: Bool { selection.mayBeAsked && Terminal() != nil }

  func askPerson(_ prompt: ByteString, showsAnswer: Bool) -> Secret? {
    guard selection.mayBeAsked, let terminal = Terminal() else { return nil }
    if showsAnswer { return terminal.answer(to: Self.lines(prompt), limit: 256).map { Secret($0) } }
    guard case .line(let line) = terminal.askForSecret(Self.lines(prompt)) else { return nil }
    return line
  }

  func show(_ text: ByteString) { Terminal()?.show(Self.lines(text) + "\n") }

  /// Keeps the text's line ends.
  private static func lines(_ text: ByteString) -> TextForTerminal {
    let lines = text.bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    return lines.enumerated().reduce(into: "") { shown, line in
      if line.offset > 0 { shown += "\n" }
      shown += "\(ByteString(Array(line.element)))"
    }
  }

  func contents(ofFile path: ByteString) -> Secret? {
    var bytes = path.bytes
    if bytes.first != UInt8(ascii: "/") {
      guard let home = CString(variable: "HOME") else { return nil }
      bytes = home.bytes.bytes + [UInt8(ascii: "/")] + bytes
    }
    let file = clinux_openat(
      AT_FDCWD, CString(copying: ByteString(bytes)).pointer, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 { return nil }
    defer { close(file) }
    return try? StandardStreams.readAll(file, limit: 1 << 20, what: "the file")
  }

  func nameForAll(at key: InternetPassword, isTakenOver: Bool) -> ByteString? {
    opened.flatMap { NameForAll.find(for: key, in: $0, isTakenOver: isTakenOver) }
  }

  func begin() throws(KeychainError) {
    _ = try opener()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(KeychainError) -> Int {
    try begin()
    let count = StandardStreams.read(0, into: buffer, waits: true)
    if count < 0 { throw .request(.input(errno: Int32(-count))) }
    return count
  }

  func write(_ output: borrowing Secret) throws(KeychainError) {
    try StandardStreams.write(output)
  }

  func say(_ refusal: Failure) { refusal.report() }

  func keychain() throws(KeychainError) -> any KeychainStore {
    if let opened { return opened.keychain }
    let open = try opener().open()
    opened = open
    return open.keychain
  }

  func askForSecret(_ prompt: String) throws(KeychainError) -> Secret {
    guard selection.mayBeAsked else { throw .failure("nobody may be asked for the secret", status: .usage) }
    return try SecretInput.ask(prompt)
  }

  func refusal(for error: KeychainError) -> Failure { error.failure }

  func hasStored() throws(KeychainError) {
    opened?.remember(isSaid: selection.tellsOfBeginning)
  }

  private func opener() throws(KeychainError) -> ProgramOpener {
    if let chosenOpener { return chosenOpener }
    let opener = try selection.chooseOrExec()
    chosenOpener = opener
    return opener
  }
}
