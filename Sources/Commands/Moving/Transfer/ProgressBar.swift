import Bytes
import EncryptedFile
import Glibc
import ToolCommands

/// A progress bar on a terminal, shown only if the work takes long enough.
final class ProgressBar {
  private let what: String
  private let isTerminal: Bool
  private let start = Timestamp.now
  private var shown = Timestamp(milliseconds: 0)
  private var isThere = false

  /// The delays before the bar appears and between two updates, in milliseconds.
  private static let patience = (first: Int64(300), next: Int64(100))
  private static let width = 30

  /// - Parameter what: a word for the work, such as `importing`.
  init(_ what: String) {
    self.what = what
    isTerminal = StandardStreams.isTerminal(2) && VaultLocation.environmentVariable("TERM") != "dumb"
    StandardStreams.clearing = { [weak self] in self?.clear() }
  }

  func show(_ done: Int, of total: Int) {
    guard isTerminal, total > 0 else { return }
    let now = Timestamp.now
    if now.milliseconds - start.milliseconds < Self.patience.first { return }
    if done < total, now.milliseconds - shown.milliseconds < Self.patience.next { return }
    shown = now
    isThere = true
    let filled = done * Self.width / total
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    let columns = String(total).count
    let count = String(repeating: " ", count: max(0, columns - String(done).count)) + String(done)
    write("\r\(what)  [\(bar)]  \(count) of \(total)\u{1b}[K")
  }

  func clear() {
    if isThere { write("\r\u{1b}[K") }
    isThere = false
  }

  deinit {
    StandardStreams.clearing = nil
    clear()
  }

  private func write(_ text: String) {
    _ = Secret(text).withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
