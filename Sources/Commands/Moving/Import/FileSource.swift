import Bytes
import CLinux
import EncryptedFile
import Glibc
import Interchange
import Keychain
import PrivateFiles
import ToolCommands

/// A file in the format of another program.
final class FileSource: ImportSource {
  private let file: FileAsRead
  private let format: FileFormat
  /// Whether the file was left by an import that was killed; see ``ImportLeftover``.
  private let isLeftover: Bool
  private let paths: PathChoice?
  /// `--identity`, and the source of a database's password.
  var keyFile: String?
  var passwords: PassphraseSource?
  /// Whether anything will be removed; the contents are kept until then.
  var isToChange = false
  private var found = FoundLogins()
  private var companion = Secret()

  var name: String { file.name }
  private var path: String { file.path }

  /// `-` is standard input.
  init(_ path: String, _ format: FileFormat, paths: PathChoice? = nil) {
    file = FileAsRead(path)
    self.format = format
    self.paths = paths
    isLeftover = ImportLeftover.isOne(path)
  }

  /// The sources at paths of a format, where a file exists.
  ///
  /// - Parameter finishes: whether the remains of a file are a source, too, and come before the file: an import was
  ///   killed while it removed that. Remains that are overwritten already are removed here.
  /// - Returns: the sources, and whether anything was removed.
  static func sources(
    at files: [String], _ format: FileFormat, paths: PathChoice?, finishing finishes: Bool
  ) throws(KeychainError) -> (sources: [FileSource], hasFinished: Bool) {
    var sources: [FileSource] = []
    var hasFinished = false
    for path in files {
      if finishes, path != "-", let left = ImportLeftover.path(of: path) {
        if try ImportLeftover.removeOverwritten(left) {
          hasFinished = true
        } else {
          sources.append(FileSource(left, format, paths: paths))
        }
      }
      if path == "-" || access(path, F_OK) == 0 { sources.append(FileSource(path, format, paths: paths)) }
    }
    return (sources, hasFinished)
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    try file.read()
    var others: [ByteString] = []
    if let wrapping = format.wrapping, file.text.withUnsafeBytes(wrapping.isOne) {
      let wrapped = wrapped(in: wrapping)
      file.hold(try wrapped.contents(limit: FileAsRead.limit))
      others = try wrapped.otherMembers()
    }
    companion = try companionContents()
    do throws(FormatFault) {
      found = try file.text.withUnsafeBytes { (bytes) throws(FormatFault) in try read(bytes) }
      // Rows without a header can be read as many things.
      if found.logins.isEmpty, let other = looks, other.name != format.name {
        throw FormatFault("nothing in it is a login there")
      }
      if !isToChange { file.hold(Secret()) }
      for name in others { found.passOver(.entry(name), .noLogin) }
      return found
    } catch {
      throw KeychainError(error, in: name, of: format, at: path, looksLike: looks)
    }
  }

  /// Whether there was a login in it when it was read.
  var hasLogins: Bool { !found.logins.isEmpty }

  /// The replacement for each of the logins, for a program that asks no keychain.
  var instead: [(origin: Origin, instead: Instead)] {
    found.logins.compactMap { login in format.instead(of: login).map { (login.origin, $0) } }
  }

  private func read(_ bytes: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    if companion.isEmpty { return try format.read(bytes, paths: paths) }
    return try companion.withUnsafeBytes { (companion) throws(FormatFault) in
      try format.read(bytes, beside: companion, paths: paths)
    }
  }

  /// The format that the file looks like, if that is certain.
  private var looks: FileFormat? { file.text.withUnsafeBytes { FormatDetection($0).format } }

  private func wrapped(in wrapping: FileFormat.Wrapping) -> WrappedFile {
    WrappedFile(path: path, wrapping: wrapping, passwords: passwords, keyFile: keyFile)
  }

  /// The file's wrapping, if it has one and can be read.
  private var wrapping: FileFormat.Wrapping? {
    guard let wrapping = format.wrapping else { return nil }
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 { return nil }
    defer { close(file) }
    var beginning = [UInt8](repeating: 0, count: 16)
    let count = pread(file, &beginning, beginning.count, 0)
    return count > 0 && beginning.withUnsafeBytes(wrapping.isOne) ? wrapping : nil
  }

  /// The contents of the companion file that the format needs, if it exists in the same folder.
  private func companionContents() throws(KeychainError) -> Secret {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    for name in format.companions where access(folder + name, F_OK) == 0 {
      return try FileContents.read(folder + name, limit: FileAsRead.limit)
    }
    return Secret()
  }

  // MARK: Removing

  var whyNotRemovable: KeychainError? {
    if path == "-" {
      return .failure(
        "standard input can't be removed", hint: "name the file, or leave out --remove-source", status: .usage
      )
    }
    // The contents of a pipe, such as that of <(…), are somewhere else.
    var present = stat()
    if stat(path, &present) == 0, present.st_mode & S_IFMT != S_IFREG {
      return .failure(
        "\(path) is not a regular file, so nothing can be removed from it", hint: "leave out --remove-source",
        status: .usage)
    }
    return wrapping.map { wrapped(in: $0).whyNotRemovable }
  }

  func remove(_ logins: [FoundLogin]) throws(KeychainError) -> Removed {
    let removals = removals(of: logins)
    let remainder = remainder(after: removals)
    let count = logins.count { removals.isSuperset(of: $0.removals) }
    let (descriptor, real) = try file.open()
    defer { close(descriptor) }
    if isLeftover { return try finish(descriptor, real, remainder) }
    // Left over from a run that was killed.
    unlink(ImportLeftover.aside(real))
    let isEmpty = format.holdsLoginsAlone && holdsNothing(remainder)
    let isOverwritten =
      isEmpty
      ? try file.removeWhole(descriptor, real) : try file.replace(descriptor, real, with: remainder)
    if isEmpty, real != path { unlink(path) }
    var note = ""
    if file.status.st_nlink > 1 {
      note = "; it has another name, under which everything still is"
    } else if !isOverwritten {
      note = "; it couldn't be overwritten"
    }
    let hasMore =
      !isEmpty && format.holdsLoginsAlone && count == found.logins.count && found.passedOver.isEmpty
    if hasMore { note += "; there is something else in it, which stays" }
    if count < logins.count {
      let staying = logins.filter { !removals.isSuperset(of: $0.removals) }.map(\.origin)
      note += "; \(TransferReport.text(staying)) stay together with what is left out"
    }
    let what = isEmpty ? "removed \(name)" : "took \(countText(count, "login")) out of \(name)"
    if let variable = format.variableOfProgram {
      note += "; \(format.name) is logged out, and takes the token from \(variable): see 'llavero help run'"
    }
    var removed = Removed(
      text: what + note + "; the disk, a backup or a snapshot may still have traces of it")
    removed.hasMore = hasMore
    return removed
  }

  /// Removes the remains of a file, if the file itself has everything in them that isn't taken out.
  private func finish(
    _ descriptor: Int32, _ left: String, _ remainder: borrowing Secret
  ) throws(KeychainError) -> Removed {
    let place = ImportLeftover.place(of: left)
    if !(format.holdsLoginsAlone && holdsNothing(remainder)), !isIn(place, remainder) {
      // The remains hold more than was imported, and perhaps the file does as well.
      if access(place, F_OK) == 0 {
        throw .failure(
          "\(left) has more than what was imported, and \(place) isn't the same without that",
          hint: "compare both, and remove it once nobody needs the rest of it", status: .keychain)
      }
      if link(left, place) != 0 { throw file.failed("put back", errno) }
      unlink(left)
      throw .failure("\(place) is back in its place", hint: "import it once more", status: .keychain)
    }
    let isOverwritten = file.overwrite(descriptor)
    if unlink(left) != 0 { throw file.failed("remove", errno) }
    return Removed(
      text: "removed \(name), which an import that was ended had left"
        + (isOverwritten ? "" : "; it couldn't be overwritten")
        + "; the disk, a backup or a snapshot may still have traces of it")
  }

  /// Whether a file has everything that is left of this one.
  private func isIn(_ place: String, _ remainder: borrowing Secret) -> Bool {
    do throws(KeychainError) {
      return try FileContents.read(place, limit: FileAsRead.limit).withUnsafeBytes { whole in
        remainder.withUnsafeBytes { whole.hasParts(of: $0) }
      }
    } catch {
      return false
    }
  }

  /// The text to remove with some of the logins.
  private func removals(of logins: [FoundLogin]) -> Set<Removal> {
    // Text that also belongs to a login that stays is kept.
    let going = Set(logins.map { ObjectIdentifier($0) })
    var staying: Set<Removal> = []
    for login in found.logins where !going.contains(ObjectIdentifier(login)) {
      staying.formUnion(login.removals)
    }
    return Set(logins.flatMap(\.removals)).subtracting(staying)
  }

  private func remainder(after removals: Set<Removal>) -> Secret {
    file.text.withUnsafeBytes { bytes in
      // It was text when it was read.
      guard let source = try? SourceText(bytes) else { return Secret(copying: bytes) }
      return source.file(bytes, after: removals)
    }
  }

  private func holdsNothing(_ remainder: borrowing Secret) -> Bool {
    // Without its entries, a file may no longer show what was beside them.
    if found.hasOthers { return false }
    return remainder.withUnsafeBytes { bytes in
      guard let found = try? read(bytes) else { return bytes.allSatisfy { $0 <= 0x20 } }
      return found.logins.isEmpty && found.passedOver.isEmpty && !found.hasOthers
    }
  }
}

extension FileFormat {
  /// The variable by which a program takes a token that its file no longer has; `nil` if it asks llavero, or its import
  /// says what to write in the file.
  var variableOfProgram: String? { [Self.gitHub.name: "GH_TOKEN", Self.gitLab.name: "GITLAB_TOKEN"][name] }
}
