import Bytes
import Glibc
import Interchange
import Keychain
import ToolCommands

/// The operands of `llavero import`: a kind, for its usual places, or a file, whose kind is found by looking into it
/// if nobody names it.
struct ImportOperands {
  let kind: ImportKind
  /// `nil` for the usual places.
  let file: String?

  /// - Parameters:
  ///   - first: a kind or a file. A file with the name of a kind is `./NAME`.
  ///   - second: a file, if the first is a kind.
  /// - Throws: ``KeychainError`` if there is no such kind and no such file, or the file doesn't show its kind.
  init(_ first: String, _ second: String?) throws(KeychainError) {
    if let second {
      kind = try ImportKind.named(first)
      file = second
    } else if ImportKind.isName(first) {
      kind = try ImportKind.named(first)
      file = nil
    } else {
      kind = try Self.kind(ofFile: first)
      file = first
    }
  }

  /// The failure if neither a kind nor a file is named. The hint has what is in the usual places.
  static var nothingNamed: KeychainError {
    var found: [String] = []
    for loose in LooseCredentials.find() where !found.contains(loose.kind) { found.append(loose.kind) }
    let kind = found.first ?? FileFormat.gitCredentials.name
    let example: Hint = "\(command: "llavero", "import", kind, "--dry-run") shows what would come"
    return KeychainError(
      "name a program whose logins to import, or a file",
      hint: found.isEmpty
        ? "\(example); 'llavero help import' names all kinds"
        : "here are logins of the kind \(prose: found.joined(separator: ", ")); \(example)",
      status: .usage)
  }

  private static func kind(ofFile path: String) throws(KeychainError) -> ImportKind {
    if path == "-" { throw mustBeNamed("standard input", path) }
    var status = stat()
    if stat(path, &status) != 0 {
      if errno == ENOENT, !path.utf8.contains(UInt8(ascii: "/")), !path.utf8.contains(UInt8(ascii: ".")) {
        // More likely a kind with a typing error.
        return try ImportKind.named(path)
      }
      throw .failure(
        errno == ENOENT ? "there is no file \(path)" : "cannot read \(path): \(errorText(errno))",
        status: .usage)
    }
    // This program may become another one, which couldn't read a pipe's contents a second time.
    if status.st_mode & S_IFMT == S_IFIFO { throw mustBeNamed(path, path) }
    let contents = try FileContents.read(path, limit: LlaveroFileSource.limit)
    return try contents.withUnsafeBytes { (bytes) throws(KeychainError) in
      try kind(FormatDetection(bytes), path)
    }
  }

  private static func mustBeNamed(_ name: String, _ path: String) -> KeychainError {
    KeychainError(
      "\(name) can't be looked into before it is read",
      hint: "say what it is: \(command: "llavero", "import", "KIND", path)", status: .usage)
  }

  private static func kind(_ detection: FormatDetection, _ path: String) throws(KeychainError) -> ImportKind {
    if let format = detection.format { return try ImportKind.named(format.name) }
    if let fault = detection.fault {
      throw .failure(
        "\(path) can't be imported: \(fault.line.map { "line \($0): " } ?? "")\(fault.reason)",
        hint: fault.conversion(of: path), status: .usage)
    }
    if let first = detection.candidates.first {
      let names = detection.candidates.map(\.name).joined(separator: " or ")
      throw .failure(
        "\(path) may be of the kind \(names), and nothing in it says for certain",
        hint: "say what it is, such as \(command: "llavero", "import", first.name, path)", status: .usage)
    }
    if TableColumns(guessedFrom: detection.columns) != nil {
      throw .failure(
        "\(path) has columns of no program that is known",
        hint: "\(command: "llavero", "import", "csv", path) asks what they are", status: .usage)
    }
    throw .failure(
      "\(path) doesn't look like a file of any kind that can be imported",
      hint: "see \(command: "llavero", "import", "--help") for the kinds, and name the one that it is",
      status: .usage)
  }
}

extension FormatFault {
  /// How to convert a file whose encoding is the problem.
  func conversion(of path: String) -> Hint? {
    guard let encoding else { return nil }
    let file = path == "-" ? "FILE" : path
    return """
      if it is \(prose: encoding), \(command: "iconv", "-f", encoding, "-t", "UTF-8", "-o", file + ".utf8", file) \
      converts it
      """
  }
}
