import Bytes
import EncryptedFile
import Interchange
import Keychain
import ToolCommands

/// A file whose text another program extracts: an archive, or a database of KeePass. Nothing of it is written to disk.
struct WrappedFile {
  let path: String
  let wrapping: FileFormat.Wrapping
  let passwords: PassphraseSource?
  /// `--identity`: the key file of a database.
  let keyFile: String?

  /// In milliseconds, for a program.
  private static let patience = 300_000

  /// - Parameter limit: the maximum number of bytes.
  /// - Throws: ``KeychainError`` if the program is missing, or finds nothing.
  func contents(limit: Int) throws(KeychainError) -> Secret {
    if path == "-" {
      throw .failure(
        "\(wrapping.name) can't be read from standard input", hint: "name the file", status: .usage)
    }
    switch wrapping {
    case .archive(let members): return try member(members, limit)
    case .keePassDatabase: return try database(limit)
    }
  }

  var whyNotRemovable: KeychainError {
    KeychainError(
      "llavero takes nothing out of \(wrapping.name)",
      hint: "leave out --remove-source, and remove \(prose: path) once you have its items", status: .usage)
  }

  /// The path, safe from being taken for an option.
  private var operand: String { path.first == "-" ? "./" + path : path }

  // MARK: Archives

  private func member(_ members: [String], _ limit: Int) throws(KeychainError) -> Secret {
    let (tar, isTar) = try archiver()
    for member in members {
      let arguments =
        [tar] + (isTar ? ["-xOqf", operand, "--", member] : ["-pq", Self.literal(operand), member])
      if let text = try output(arguments, limit) { return text }
    }
    throw .failure(
      "\(path) is a ZIP archive without \(members.joined(separator: " or "))", status: .usage)
  }

  /// The other files of an archive, such as attachments; none if this is no archive.
  ///
  /// - Throws: ``KeychainError`` if they can't be listed.
  func otherMembers() throws(KeychainError) -> [ByteString] {
    guard case .archive(let members) = wrapping else { return [] }
    let (tar, isTar) = try archiver()
    let arguments = [tar] + (isTar ? ["-tf", operand] : ["-Z1", Self.literal(operand)])
    guard let list = try output(arguments, 1 << 20) else {
      throw .failure("the files in \(path) can't be listed", status: .keychain)
    }
    let names = list.withUnsafeBytes { $0.split(separator: 0x0a).map { ByteString(Array($0)) } }
    guard let read = members.map({ ByteString($0) }).first(where: names.contains) else { return [] }
    // The last has 1Password's version.
    return names.filter { $0 != read && $0.bytes.last != UInt8(ascii: "/") && $0 != "export.attributes" }
  }

  private func archiver() throws(KeychainError) -> (path: String, isTar: Bool) {
    guard let tar = ProgramSearch.path(of: CString("bsdtar")) ?? ProgramSearch.path(of: CString("unzip"))
    else {
      throw .failure(
        "\(path) is a ZIP archive, and there is no program 'bsdtar' or 'unzip' to read it with",
        hint: "install the package libarchive-tools or unzip", status: .usage)
    }
    return (tar, tar.hasSuffix("/bsdtar"))
  }

  /// A name that unzip takes for no pattern.
  private static func literal(_ name: String) -> String {
    name.map { "[*?".contains($0) ? "[\($0)]" : "\($0)" }.joined()
  }

  /// A program's output; `nil` if it fails. Its own messages aren't shown.
  private func output(_ arguments: [String], _ limit: Int) throws(KeychainError) -> Secret? {
    try printed { () throws(KeychainError) in
      try ProgramOutput.read(
        arguments.map { CString(copying: ByteString($0)) }, timeout: Self.patience, limit: limit,
        showsErrors: false)
    }
  }

  private func printed(
    _ body: () throws(KeychainError) -> ProgramOutput.Outcome
  ) throws(KeychainError) -> Secret? {
    do throws(KeychainError) {
      switch try body() {
      case .printed(let text): return text
      case .failed(.tooMuch(let limit)):
        throw .unavailable(reason: "\(path) has more than \(limit >> 20) MiB of text")
      case .failed: return nil
      }
    } catch .promptDismissed {
      throw .failure("interrupted", status: .keychain)
    }
  }

  // MARK: Databases

  private func database(_ limit: Int) throws(KeychainError) -> Secret {
    guard let program = ProgramSearch.path(of: CString("keepassxc-cli")) else {
      throw .failure(
        "\(path) is a database of KeePass, and there is no program 'keepassxc-cli' to open it with",
        hint: "install the package keepassxc, or export XML from KeePass and import that", status: .usage)
    }
    let key = keyFile.map { ["--key-file", $0] } ?? []
    let arguments = ([program, "export", "--quiet", "--format", "xml"] + key + [operand])
      .map { CString(copying: ByteString($0)) }
    var attempt = 1
    while let password = try password(attempt) {
      var line = password.copy()
      line.append(0x0a)
      let text = try printed { () throws(KeychainError) in
        try ProgramOutput.converse(arguments, sending: line, timeout: Self.patience, limit: limit)
      }
      if let text { return text }
      attempt += 1
    }
    if attempt == 1 {
      throw .failure(
        "nobody can be asked for the password of \(path)", hint: "give it with --passphrase-fd",
        status: .usage)
    }
    throw .failure(
      "\(path) can't be opened with that password",
      hint: keyFile == nil
        ? "if it needs a key file, too, name that with --identity" : "the key file may be another one",
      status: .usage)
  }

  private func password(_ attempt: Int) throws(KeychainError) -> Secret? {
    guard let passwords else { return nil }
    return try passwords(attempt)
  }
}
