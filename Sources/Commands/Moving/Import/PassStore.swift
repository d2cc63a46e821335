import Bytes
import Glibc
import Interchange
import Keychain
import PrivateFiles
import ToolCommands

/// The store of `pass` or gopass: a folder of files encrypted with gpg, read through its own program.
final class PassStore: ImportSource {
  enum Keeper {
    case pass
    /// gopass, which may have several stores.
    case gopass
    /// Git Credential Manager, which keeps its entries in the store of `pass` (its `credential.credentialStore gpg`).
    case gcm
  }

  let name: String
  private let keeper: Keeper
  private let program: CString
  private let entries: [ByteString]
  private let paths: PathChoice?
  /// The text of each entry with a login.
  private var texts: [ByteString: Text] = [:]
  /// The number of logins in each entry.
  private var counts: [Origin: Int] = [:]

  /// A decrypted entry. A class, because confidential parts can't be values of a dictionary.
  private final class Text {
    let contents: Secret

    init(_ contents: consuming Secret) { self.contents = contents }
  }

  /// The time limit for one entry, in milliseconds; long because gpg may ask the user for a passphrase.
  private static let patience = 300_000
  /// The maximum size of an entry, or of the list of entries, in bytes.
  private static let limit = 4 << 20
  /// After how many failures to decrypt, without a success, the rest are not tried.
  private static let mostFailures = 3

  private init(
    _ name: String, _ keeper: Keeper, _ program: CString, _ entries: [ByteString], _ paths: PathChoice?
  ) {
    self.paths = paths
    self.name = name
    self.keeper = keeper
    self.program = program
    self.entries = entries
  }

  /// The stores that exist; none if the keeper has no entries.
  ///
  /// - Throws: ``KeychainError`` if the keeper's program is missing, or fails.
  static func present(_ keeper: Keeper, paths: PathChoice?) throws(KeychainError) -> [PassStore] {
    if keeper == .gopass {
      let program = CString("gopass")
      // Without a store, gopass doesn't make one, but asks for what it needs to do so.
      guard isThere(program) else { return [] }
      let list = try run([program, CString("ls"), CString("--flat")])
      let names = list.withUnsafeBytes { bytes in
        bytes.split(separator: 0x0a).map { ByteString(Array($0)) }
      }
      return names.isEmpty ? [] : [PassStore("gopass", .gopass, program, names, paths)]
    }
    guard let folder = folder else { return [] }
    var entries = FolderFiles.names(in: folder, endingWith: ".gpg")
    if keeper == .gcm {
      let namespace = CString(variable: "GCM_NAMESPACE")?.bytes ?? "git"
      entries = entries.filter { $0.bytes.starts(with: namespace.bytes + [UInt8(ascii: "/")]) }
    }
    if entries.isEmpty { return [] }
    let program = CString("pass")
    guard isThere(program) else {
      throw .failure(
        "there is a store of pass in \(folder), but no program 'pass'", hint: "install the package pass",
        status: .usage)
    }
    return [PassStore("pass (\(folder))", keeper, program, entries, paths)]
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    Self.tellTerminal()
    var found = FoundLogins()
    var failures = 0
    var hasRead = false
    for (index, entry) in entries.enumerated() {
      progress(index, entries.count)
      switch try show(entry) {
      case .printed(let contents):
        hasRead = true
        let count = found.logins.count
        contents.withUnsafeBytes { PassEntry.read(entry, $0, into: &found) }
        if found.logins.count > count { texts[entry] = Text(contents.copy()) }
      case .failed(let fault):
        if case .tooMuch = fault {
          found.passOver(.entry(entry), .malformed)
          continue
        }
        found.passOver(.entry(entry), .undecipherable)
        failures += 1
        if failures == Self.mostFailures, !hasRead {
          throw .failure(
            "\(program.text) could decrypt none of the first \(failures) of \(entries.count) entries",
            hint: "see what it says of one with \(command: program.text, "show", entry)", status: .keychain)
        }
      }
    }
    progress(entries.count, entries.count)
    found.settle(paths, .lastChangedAnswers)
    counts = found.logins.reduce(into: [:]) { $0[$1.origin, default: 0] += 1 }
    return found
  }

  // MARK: Removing

  func remove(_ logins: [FoundLogin]) throws(KeychainError) -> Removed {
    var removed = 0
    var changed: [FoundLogin] = []
    var isGone: [ByteString: Bool] = [:]
    // An entry with several addresses is several logins, and stays if one of them does.
    let going = logins.reduce(into: [:]) { $0[$1.origin, default: 0] += 1 }.filter { $1 == counts[$0] }
    let total = going.count
    for login in logins where going[login.origin] != nil {
      guard case .entry(let entry) = login.origin else { continue }
      if isGone[entry] == nil {
        isGone[entry] = try remove(entry, after: removed, of: total)
        if isGone[entry] == true { removed += 1 }
      }
      if isGone[entry] == false { changed.append(login) }
    }
    let entries = removed == 1 ? "1 entry" : "\(removed) entries"
    let kept = mayHaveHistory ? "its history may still have them, encrypted" : "\(program.text) keeps no copy"
    var result = Removed(text: removed == 0 ? nil : "removed \(entries) from \(name); \(kept)")
    result.changed = changed
    return result
  }

  /// Removes an entry, unless it has changed. Returns whether it did.
  private func remove(_ entry: ByteString, after removed: Int, of count: Int) throws(KeychainError) -> Bool {
    guard try isAsRead(entry) else { return false }
    let arguments = [program, CString("rm"), CString("-f"), CString("--"), CString(copying: entry)]
    guard case .printed = try Self.output(arguments) else {
      throw .failure(
        "\(program.text) can't remove \(entry); of \(count), \(removed) had gone by then",
        hint: "see what it says with \(command: program.text, "rm", entry)", status: .keychain)
    }
    return true
  }

  /// Whether git may keep what an entry was: in the store, in a folder of it, or in one around it, as `pass` looks for
  /// it. Which stores gopass has isn't known here.
  private var mayHaveHistory: Bool {
    guard keeper != .gopass, let folder = Self.folder else { return true }
    var folders: Set<String> = []
    for entry in entries {
      var path = folder + "/" + entry.description
      while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
        path = String(path[..<slash])
        if !folders.insert(path).inserted { break }
      }
    }
    return folders.contains { FileStatus.isThere($0 + "/.git") }
  }

  /// Whether an entry is unchanged. It may be minutes since it was read, because gpg waits for people.
  private func isAsRead(_ entry: ByteString) throws(KeychainError) -> Bool {
    guard let text = texts[entry] else { return false }
    switch try show(entry) {
    case .printed(let contents): return contents.isEqual(to: text.contents)
    case .failed: return false
    }
  }

  // MARK: The store

  /// The folder of the store of `pass`.
  private static var folder: String? {
    let path: String
    if let named = CString(variable: "PASSWORD_STORE_DIR") {
      path = named.text
    } else if let home = CString(variable: "HOME") {
      path = home.text + "/.password-store"
    } else {
      return nil
    }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? path : nil
  }

  // MARK: The program

  private func show(_ entry: ByteString) throws(KeychainError) -> ProgramOutput.Outcome {
    try Self.output([program, CString("show")] + options + [CString("--"), CString(copying: entry)])
  }

  /// They make gopass print an entry as stored, whatever its settings.
  private var options: [CString] {
    keeper == .gopass ? [CString("--unsafe"), CString("--noparsing")] : []
  }

  private static func isThere(_ program: CString) -> Bool {
    ProgramSearch.run(program) { access($0, X_OK) == 0 ? 0 : errno } == 0
  }

  private static func run(_ arguments: [CString]) throws(KeychainError) -> Secret {
    switch try output(arguments) {
    case .printed(let text): return text
    case .failed:
      let command = arguments.map(\.text).joined(separator: " ")
      throw .failure(
        "'\(command)' failed", hint: "see what it says when you run it yourself", status: .keychain)
    }
  }

  private static func output(_ arguments: [CString]) throws(KeychainError) -> ProgramOutput.Outcome {
    do throws(KeychainError) {
      return try ProgramOutput.read(arguments, timeout: patience, limit: limit)
    } catch .promptDismissed {
      throw .failure("interrupted", status: .keychain)
    }
  }

  /// Lets gpg ask on the terminal. Without `GPG_TTY` gpg would look for it on standard input, which it doesn't get.
  private static func tellTerminal() {
    if CString(variable: "GPG_TTY") != nil { return }
    for descriptor: Int32 in 0...2 where isatty(descriptor) == 1 {
      var name = [CChar](repeating: 0, count: 256)
      if ttyname_r(descriptor, &name, name.count) == 0 {
        setenv("GPG_TTY", name, 1)
        return
      }
    }
  }
}
