import Bytes
import Glibc
import Keychain

/// A program of the pinentry family, which shows a dialog and speaks the Assuan protocol (the pinentry manual,
/// "Pinentry's Assuan Protocol").
struct Pinentry {
  let program: CString
  /// The time limit for the user's answer, in milliseconds.
  let timeout: Int
  /// The time limit for all other replies, in milliseconds.
  var handshakeTimeout = 10_000

  /// Asks for a passphrase once.
  ///
  /// - Parameter error: the problem with the previous answer.
  /// - Throws: ``KeychainError/promptDismissed`` if the user declined; ``KeychainError/unavailable(reason:)`` if the
  ///   program doesn't behave like a pinentry.
  func ask(_ question: PassphraseQuestion, error: String?) throws(KeychainError) -> Secret {
    var conversation = try Conversation(self)
    try conversation.introduce(question, error: error)
    let pin = try conversation.getPin()
    return pin.secret
  }

  /// Asks for a new passphrase twice, in one dialog if the program can. Returns `nil` if the two differ.
  ///
  /// - Throws: as ``ask(_:error:)`` does.
  func askTwice(_ question: PassphraseQuestion, error: String?) throws(KeychainError) -> Secret? {
    var conversation = try Conversation(self)
    try conversation.introduce(question, error: error)
    let knowsRepeating = try conversation.isDone("SETREPEAT", question.repeatPrompt)
    if knowsRepeating { _ = try conversation.isDone("SETREPEATERROR", PassphraseQuestion.theyDiffer) }
    let first = try conversation.getPin()
    if first.isRepeated { return first.secret }
    try conversation.command("SETPROMPT", question.repeatPrompt)
    let second = try conversation.getPin()
    if first.secret.isEqual(to: second.secret) { return first.secret }
    return nil
  }

  private func fault(_ what: String) -> KeychainError {
    .unavailable(reason: "the pinentry \(program.text) \(what)")
  }

  private struct Pin: ~Copyable {
    let secret: Secret
    let isRepeated: Bool
  }

  private enum Reply {
    case ok
    case error(code: UInt32, text: String)
  }

  private struct Conversation: ~Copyable {
    private let pinentry: Pinentry
    private let socket: Int32
    private let terminal = TerminalState()
    private var child: ChildProcess
    private var lines = AssuanLines()
    private var pin = Secret()
    private var isRepeated = false

    init(_ pinentry: Pinentry) throws(KeychainError) {
      self.pinentry = pinentry
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
        throw .system(operation: "make a socket for", path: pinentry.program.text, errno: errno)
      }
      defer { close(ends[1]) }
      do throws(KeychainError) {
        child = try ChildProcess([pinentry.program], [.copy(of: ends[1]), .copy(of: ends[1]), .inherited])
      } catch {
        close(ends[0])
        throw error
      }
      socket = ends[0]
    }

    deinit {
      // The program should exit by itself now; it is ended afterwards if it doesn't.
      if Self.send("BYE\n", to: socket) { Self.waitForEnd(of: socket) }
      close(socket)
    }

    mutating func introduce(_ question: PassphraseQuestion, error: String?) throws(KeychainError) {
      guard case .ok = try reply(to: nil, timeout: pinentry.handshakeTimeout) else {
        throw pinentry.fault("did not say OK")
      }
      // A pinentry on the terminal has to know which one, and may use it only if this process may read from it.
      if let terminal = Self.terminalName() {
        _ = try isDone("OPTION", "ttyname=\(terminal)")
        if let type = CString(variable: "TERM") { _ = try isDone("OPTION", "ttytype=\(type.text)") }
      }
      let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { CString(variable: $0) }.first
      if let locale { _ = try isDone("OPTION", "lc-ctype=\(locale.text)") }
      try command("SETTITLE", question.title)
      try command("SETDESC", question.description)
      try command("SETPROMPT", question.prompt)
      if let error { try command("SETERROR", error) }
    }

    mutating func command(_ name: String, _ argument: String) throws(KeychainError) {
      guard try isDone(name, argument) else { throw pinentry.fault("does not know \(name)") }
    }

    mutating func isDone(_ name: String, _ argument: String) throws(KeychainError) -> Bool {
      let line = "\(name) \(AssuanEscapes.encode(terminalText(argument)))\n"
      if case .ok = try reply(to: line, timeout: pinentry.handshakeTimeout) { return true }
      return false
    }

    mutating func getPin() throws(KeychainError) -> Pin {
      switch try reply(to: "GETPIN\n", timeout: pinentry.timeout) {
      case .ok: break
      case .error(let code, let text):
        // libgpg-error's GPG_ERR_TIMEOUT, GPG_ERR_CANCELED, GPG_ERR_NOT_CONFIRMED and GPG_ERR_FULLY_CANCELED.
        if [62, 99, 114, 198].contains(code & 0xffff) { throw .promptDismissed }
        throw pinentry.fault("could not ask: \(text.isEmpty ? "error \(code)" : text)")
      }
      var secret = Secret()
      swap(&secret, &pin)
      return Pin(secret: secret, isRepeated: isRepeated)
    }

    private func send(_ text: String) throws(KeychainError) {
      if text.utf8.count > AssuanLine.longest { throw pinentry.fault("can't be told so long a text") }
      if !Self.send(text, to: socket) { throw pinentry.fault("ended before it was asked") }
    }

    private static func send(_ text: String, to socket: Int32) -> Bool {
      Secret(text).withUnsafeBytes { bytes in
        // A closed socket should be an error, not a signal. Every command fits into the socket's buffer.
        Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
          == bytes.count
      }
    }

    /// Waits up to half a second for the other side to close.
    private static func waitForEnd(of socket: Int32) {
      let deadline = SystemClock.awake + 500
      var farewell = [UInt8](repeating: 0, count: 64)
      while case let left = deadline - SystemClock.awake, left > 0 {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if poll(&waiting, 1, Int32(left)) <= 0 || read(socket, &farewell, farewell.count) <= 0 { return }
      }
    }

    /// Sends a line, if there is one, reads the reply to its end, and keeps its data.
    private mutating func reply(to line: String?, timeout: Int) throws(KeychainError) -> Reply {
      // Catch signals before the program gets the line: once its dialog is on the terminal, this process must not die
      // without giving the terminal back.
      let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
      var hasReplied = false
      defer { if !hasReplied { abandon() } }
      if let line { try send(line) }
      let deadline = SystemClock.awake + timeout
      while true {
        if let reply = try takeReply() {
          hasReplied = true
          return reply
        }
        if lines.isTooLong { throw pinentry.fault("sent a line that is too long") }
        let left = deadline - SystemClock.awake
        if left <= 0 {
          throw pinentry.fault("has not answered within \(timeout / 1000) seconds")
        }
        var waiting = [
          pollfd(fd: notes.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        Glibc.poll(&waiting, 2, Int32(min(left, 60_000)))
        while let number = notes.next() {
          if number == SIGCHLD { continue }
          abandon()
          notes.pass(on: number)
          throw .promptDismissed
        }
        if waiting[1].revents == 0 { continue }
        var count = 0
        lines.receive(AssuanLine.longest) { buffer in
          count = StandardStreams.read(socket, into: buffer)
          return max(0, count)
        }
        if count <= 0 { throw pinentry.fault("ended before it answered") }
      }
    }

    private mutating func abandon() {
      child.end()
      terminal?.restore()
    }

    /// Processes the lines that have arrived, up to the end of a reply.
    private mutating func takeReply() throws(KeychainError) -> Reply? {
      // The closure below changes it.
      var pin = Secret()
      swap(&pin, &self.pin)
      defer { swap(&pin, &self.pin) }
      while true {
        var isBroken = false
        let line = lines.next { bytes -> AssuanLine? in
          let line = AssuanLine(parsing: bytes)
          if case .data(let range)? = line {
            let escaped = UnsafeRawBufferPointer(rebasing: bytes[range])
            isBroken = !AssuanEscapes.decode(escaped, appendingTo: &pin)
          }
          return line
        }
        guard let line else { return nil }
        if isBroken || pin.count > PassphraseSources.longest {
          throw pinentry.fault("sent a passphrase that can't be understood")
        }
        switch line {
        case .ok: return .ok
        case .error(let code, let text): return .error(code: code, text: text)
        case .inquiry: try send("CAN\n")
        case .status("PIN_REPEATED"): isRepeated = true
        case .data, .status, .comment: break
        case nil: throw pinentry.fault("does not speak the Assuan protocol")
        }
      }
    }

    /// This process's terminal, if it may use it now: `GPG_TTY`, which gpg's users set, or that of its descriptors.
    private static func terminalName() -> String? {
      if Terminal() == nil { return nil }
      if let named = CString(variable: "GPG_TTY") { return named.text }
      for descriptor: Int32 in 0...2 where isatty(descriptor) == 1 {
        var name = [CChar](repeating: 0, count: 256)
        if ttyname_r(descriptor, &name, name.count) == 0 {
          return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
      }
      return "/dev/tty"
    }
  }
}
