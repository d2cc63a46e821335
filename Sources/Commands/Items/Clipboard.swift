import Bytes
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// A desktop's clipboard, by the commands that take a text from standard input, print what is there, and empty it.
///
/// Without one, the terminal is asked by the escape sequence OSC 52 (xterm, "Control Sequences"), which also works over
/// ssh. Its clipboard can't be read, so nothing is taken away there.
struct Clipboard {
  private let copy: [String]
  private let paste: [String]
  private let clear: [String]

  /// The operand of the process that takes a secret away.
  static let clearing = "clear-clipboard"

  /// The longest secret, in bytes: a pipe's capacity.
  private static let limit = 65_536
  /// How long a program of the clipboard may take, in milliseconds.
  private static let patience = 10_000

  private static let ofWayland = Clipboard(
    copy: ["wl-copy"], paste: ["wl-paste", "--no-newline"], clear: ["wl-copy", "--clear"])
  private static let ofX11 = [
    Clipboard(
      copy: ["xclip", "-selection", "clipboard", "-in"],
      paste: ["xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING"],
      clear: ["xclip", "-selection", "clipboard", "-in"]),
    Clipboard(
      copy: ["xsel", "--clipboard", "--input"], paste: ["xsel", "--clipboard", "--output"],
      clear: ["xsel", "--clipboard", "--clear"]),
  ]

  private var isInstalled: Bool {
    [copy, paste].allSatisfy { ProgramSearch.path(of: CString(copying: $0[0])) != nil }
  }

  /// The desktop's clipboard, if its programs are here.
  private static var ofDesktop: Clipboard? {
    let has = { (name: String) in !(VaultLocation.environmentVariable(name) ?? "").isEmpty }
    let candidates = (has("WAYLAND_DISPLAY") ? [ofWayland] : []) + (has("DISPLAY") ? ofX11 : [])
    return candidates.first(where: \.isInstalled)
  }

  /// - Throws: ``KeychainError`` if nothing can be copied here, before a secret is taken for that.
  static func check() throws(KeychainError) {
    _ = try time()
    if ofDesktop == nil { _ = try terminal() }
  }

  /// The terminal, if it knows escape sequences: others would show the secret.
  private static func terminal() throws(KeychainError) -> Terminal {
    guard TerminalStyle.knowsEscapes, let terminal = Terminal() else {
      throw .failure(
        "there is no clipboard here",
        hint: Program.hasDisplay
          ? "install wl-clipboard, xclip or xsel" : "there is neither a display nor a terminal to copy to",
        status: .keychain)
    }
    return terminal
  }

  /// Runs one of the clipboard's programs, which may go on in the background. Returns whether it has succeeded.
  private static func run(_ command: [String], _ input: borrowing Secret) throws(KeychainError) -> Bool {
    let outcome = try ProgramOutput.record(
      command.map { CString(copying: $0) }, sending: input, timeout: patience, limit: limit)
    if case .ended(let record) = consume outcome { return record.ending == .exited(0) }
    return false
  }

  /// Copies a secret, and says on the terminal what becomes of it.
  ///
  /// - Parameter what: what it is, for that sentence.
  /// - Throws: ``KeychainError`` if there is no clipboard, or it can't take the secret.
  static func copy(_ secret: borrowing Secret, _ what: String) throws(KeychainError) {
    if secret.count > limit {
      throw .failure("the secret is too large for the clipboard", status: .nothingMatched)
    }
    let seconds = try time()
    if let desktop = ofDesktop {
      guard try run(desktop.copy, secret) else {
        throw .failure(
          "\(desktop.copy[0]) has not copied it",
          hint: "see whether \(command: desktop.copy[0]) works by itself",
          status: .keychain)
      }
      if seconds == 0 {
        // A copy that waits to be taken away is the newest no more.
        _ = NewestCopy()
        return StandardStreams.say("copied \(what)")
      }
      do throws(KeychainError) {
        _ = try DetachedProgram.start("/proc/self/exe", [Executables.people, clearing], input: secret)
      } catch {
        _ = try? run(desktop.clear, Secret())
        throw error
      }
      return StandardStreams.say("copied \(what); the clipboard is emptied in \(seconds) s")
    }
    let terminal = try terminal()
    var sequence = Secret()
    sequence.append("\u{1b}]52;c;")
    secret.withUnsafeBytes { Base64.encode($0, to: &sequence) }
    sequence.append("\u{07}")
    terminal.write(sequence)
    StandardStreams.say("asked the terminal to copy \(what); it stays there until you copy something else")
  }

  /// After how many seconds a secret is taken away; 0 for never.
  ///
  /// - Throws: ``KeychainError`` for an invalid `LLAVERO_CLIPBOARD_TIME`.
  private static func time() throws(KeychainError) -> Int {
    guard let text = VaultLocation.environmentVariable("LLAVERO_CLIPBOARD_TIME"), !text.isEmpty else {
      return 45
    }
    guard let seconds = Int(text), 0...86_400 ~= seconds else {
      throw .failure("LLAVERO_CLIPBOARD_TIME has to be a number of seconds, at most 86400", status: .usage)
    }
    return seconds
  }

  /// Waits, and empties the clipboard if it still has what standard input gives, also when a signal ends the wait, as at
  /// the session's end. Ends the process.
  static func clearLater() -> Never {
    let signals = HeldSignals()
    let copy = NewestCopy()
    StandardStreams.leave()
    guard let expected = try? StandardStreams.readAll(0, limit: limit, what: "the copy"),
      let seconds = try? time(), let desktop = ofDesktop
    else { Program.end(ExitStatus.usage.rawValue) }
    let end = SystemClock.sinceBoot + seconds * 1000
    var signal: Int32?
    while signal == nil, SystemClock.sinceBoot < end {
      signal = signals.next(within: min(1000, end - SystemClock.sinceBoot))
    }
    guard let signal else {
      // What goes on for the clipboard can be ended.
      _ = consume signals
      desktop.clear(expected, of: copy)
      Program.end(ExitStatus.done.rawValue)
    }
    desktop.clear(expected, of: copy)
    _ = consume signals
    raise(signal)
    Program.end(ExitStatus.done.rawValue)
  }

  /// Empties the clipboard if it has this secret, unless a later copy has begun to wait.
  private func clear(_ expected: borrowing Secret, of copy: NewestCopy) {
    guard copy.isNewest else { return }
    let outcome = try? ProgramOutput.read(
      paste.map { CString(copying: $0) }, timeout: Self.patience, limit: Self.limit, showsErrors: false)
    if case .printed(let present)? = consume outcome, present.isEqual(to: expected) {
      _ = try? Self.run(clear, Secret())
    }
    copy.remove()
  }
}

/// A note of the newest copy on a display. The same secret may be copied twice, and the first copy's time must not end the
/// second one's.
private struct NewestCopy {
  private static let longest = 100

  private let folder: String?
  private let name: String
  private let text: ByteString

  /// Makes this process's copy the newest. Without a note, as on a full disk, every copy counts as such.
  init() {
    folder = (try? VaultLocation())?.stateFolder
    let display = ["WAYLAND_DISPLAY", "DISPLAY"].map { VaultLocation.environmentVariable($0) ?? "" }
    name = "clipboard-" + String(fnv1a(display.joined(separator: " ").utf8), radix: 16)
    text = ByteString("\(getpid()) \(SystemClock.sinceBoot)")
    guard let folder, let folder = try? Folder(creating: folder) else { return }
    try? text.bytes.lendingBytes { (text) throws(KeychainError) in
      try folder.replaceForNow(name, with: text)
    }
  }

  var isNewest: Bool {
    guard let folder, let folder = try? Folder(opening: folder), let file = try? folder.file(name),
      let present = try? file.contents(limit: Self.longest)
    else { return true }
    return present.withUnsafeBytes { $0.elementsEqual(text.bytes) }
  }

  func remove() {
    if let folder { unlink("\(folder)/\(name)") }
  }
}
