import Bytes
import CLinux
import EncryptedFile
import Glibc
import Interchange
import Keychain
import PrivateFiles
import ToolCommands

final class FileSource: ImportSource {
  let name: String
  private let path: String
  private let format: FileFormat
  /// Whether the file was left by an import that was killed; see ``leftover(of:)``.
  private let isLeftover: Bool
  private let paths: PathChoice?
  /// `--identity`, and the source of a database's password.
  var keyFile: String?
  var passwords: PassphraseSource?
  /// Whether anything will be removed; the contents are kept until then.
  var isToChange = false
  /// The contents that were read, and the status of their file.
  private var text = Secret()
  private var found = FoundLogins()
  private var companion = Secret()
  private var status = stat()

  /// In bytes.
  private static let limit = 64 << 20

  /// `-` is standard input.
  init(_ path: String, _ format: FileFormat, paths: PathChoice? = nil) {
    self.path = path
    self.format = format
    self.paths = paths
    isLeftover = path.hasSuffix(Self.asideEnding)
    name = path == "-" ? "standard input" : path
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
      if finishes, path != "-", let left = leftover(of: path) {
        if try removeOverwritten(left) {
          hasFinished = true
        } else {
          sources.append(FileSource(left, format, paths: paths))
        }
      }
      if path == "-" || access(path, F_OK) == 0 { sources.append(FileSource(path, format, paths: paths)) }
    }
    return (sources, hasFinished)
  }

  /// Removes the remains of a file that are partly overwritten, and so safely elsewhere, or were not written yet.
  /// Returns whether it was such a file.
  private static func removeOverwritten(_ left: String) throws(KeychainError) -> Bool {
    let file = clinux_openat(AT_FDCWD, left, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    if file < 0 { return false }
    defer { close(file) }
    var first: UInt8 = 0
    // A file without contents is a new one that was never written.
    guard pread(file, &first, 1, 0) >= 0, first == 0 else { return false }
    if unlink(left) != 0 {
      throw .failure("cannot remove \(left): \(errorText(errno))", status: .keychain)
    }
    StandardStreams.say("removed \(left), which an import that was ended had left")
    return true
  }

  /// The format's usual paths.
  static func places(of format: FileFormat) -> [String] {
    var places: [String] = []
    for path in expandedPaths(of: format) {
      let real = realPath(path) ?? path
      if !places.contains(where: { (realPath($0) ?? $0) == real }) { places.append(path) }
    }
    return places
  }

  /// The usual paths where a file exists, without duplicates.
  static func usualPaths(of format: FileFormat) -> [String] {
    var paths: [String] = []
    for path in expandedPaths(of: format) where access(path, F_OK) == 0 {
      let real = realPath(path)
      if !paths.contains(where: { realPath($0) == real }) { paths.append(path) }
    }
    return paths
  }

  /// The usual paths with a leading `~` or variable expanded, without those whose variable isn't set.
  static func expandedPaths(of format: FileFormat) -> [String] {
    format.usualPaths.flatMap { path -> [String] in
      let parts = path.split(separator: "*")
      if parts.count == 2 { return files(in: String(parts[0].dropLast()), endingWith: String(parts[1])) }
      guard path.first == "$", path.last == ":" else { return expanded(path).map { [$0] } ?? [] }
      // Such a variable names several files.
      return (getenv(String(path.dropFirst().dropLast())).map { String(cString: $0) } ?? "")
        .split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }
  }

  /// The files in a folder at any depth, including those of which only remains of a killed import are left.
  private static func files(in folder: String, endingWith ending: String) -> [String] {
    guard let folder = expanded(folder) else { return [] }
    let names = [ending, ending + asideEnding].flatMap { FolderFiles.names(in: folder, endingWith: $0) }
    return Set(names).sorted().map { "\(folder)/\($0)\(ending)" }
  }

  private static func expanded(_ path: String) -> String? {
    guard path.first == "~" || path.first == "$" else { return path }
    let end = path.firstIndex(of: "/") ?? path.endIndex
    let name = path.first == "~" ? "HOME" : String(path[path.index(after: path.startIndex)..<end])
    guard let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/") else { return nil }
    return value + path[end...]
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    text = try FileContents.read(path, limit: Self.limit, status: &status)
    var others: [ByteString] = []
    if let wrapping = format.wrapping, text.withUnsafeBytes(wrapping.isOne) {
      let file = wrapped(in: wrapping)
      text = try file.contents(limit: Self.limit)
      others = try file.otherMembers()
    }
    companion = try companionContents()
    do throws(FormatFault) {
      found = try text.withUnsafeBytes { (bytes) throws(FormatFault) in try read(bytes) }
      // Rows without a header can be read as many things.
      if found.logins.isEmpty, let other = looks, other.name != format.name {
        throw FormatFault("nothing in it is a login there")
      }
      if !isToChange { text = Secret() }
      for name in others { found.passOver(.entry(name), .noLogin) }
      return found
    } catch {
      throw KeychainError(error, in: name, of: format, at: path, looksLike: looks)
    }
  }

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
  private var looks: FileFormat? { text.withUnsafeBytes { FormatDetection($0).format } }

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
      return try FileContents.read(folder + name, limit: Self.limit)
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
    // People keep such files under stow: the link stays in its place, and its target is changed.
    guard let real = realPath(path) else { throw failed("find", ENOENT) }
    let file = clinux_openat(AT_FDCWD, real, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    if file < 0 { throw failed("open", errno) }
    defer { close(file) }
    try refuseChanged(file)
    if isLeftover { return try finish(file, real, remainder) }
    // Left over from a run that was killed.
    unlink(aside(real))
    let isEmpty = format.holdsLoginsAlone && holdsNothing(remainder)
    let isOverwritten = isEmpty ? try removeWhole(file, real) : try replace(file, real, with: remainder)
    if isEmpty, real != path { unlink(path) }
    var note = ""
    if status.st_nlink > 1 {
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
    _ file: Int32, _ left: String, _ remainder: borrowing Secret
  ) throws(KeychainError) -> Removed {
    let place = String(left.dropLast(Self.asideEnding.utf8.count))
    if !(format.holdsLoginsAlone && holdsNothing(remainder)), !isIn(place, remainder) {
      // The remains hold more than was imported, and perhaps the file does as well.
      if access(place, F_OK) == 0 {
        throw .failure(
          "\(left) has more than what was imported, and \(place) isn't the same without that",
          hint: "compare both, and remove it once nobody needs the rest of it", status: .keychain)
      }
      if link(left, place) != 0 { throw failed("put back", errno) }
      unlink(left)
      throw .failure("\(place) is back in its place", hint: "import it once more", status: .keychain)
    }
    let isOverwritten = overwrite(file)
    if unlink(left) != 0 { throw failed("remove", errno) }
    return Removed(
      text: "removed \(name), which an import that was ended had left"
        + (isOverwritten ? "" : "; it couldn't be overwritten")
        + "; the disk, a backup or a snapshot may still have traces of it")
  }

  /// Whether a file has everything that is left of this one.
  private func isIn(_ place: String, _ remainder: borrowing Secret) -> Bool {
    do throws(KeychainError) {
      return try FileContents.read(place, limit: Self.limit).withUnsafeBytes { whole in
        remainder.withUnsafeBytes { whole.hasParts(of: $0) }
      }
    } catch {
      return false
    }
  }

  private func aside(_ real: String) -> String { real + Self.asideEnding }

  private static let asideEnding = ".llavero-tmp"

  /// The remains of a file after an import was killed; the file itself may be gone.
  static func leftover(of path: String) -> String? {
    if path.hasSuffix(asideEnding) { return nil }
    // For a link, they are beside the file that the link leads to, or led to.
    var real = realPath(path) ?? path
    if access(path, F_OK) != 0, let target = ProgramLinks.linkTarget(path) {
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      real = target.first == "/" ? target : folder + target
    }
    let aside = real + asideEnding
    return access(aside, F_OK) == 0 ? aside : nil
  }

  /// Removes the file and overwrites it. Another program's writing until then stays.
  private func removeWhole(_ file: Int32, _ real: String) throws(KeychainError) -> Bool {
    // Nothing readable should be left under the other name.
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    // Another program may have replaced the file by now, or written into it. Nobody has read that yet.
    if rename(real, aside(real)) != 0 { throw failed("remove", errno) }
    if !isAsRead(aside(real), file) {
      // If there is an even newer one, both stay.
      if link(aside(real), real) == 0 { unlink(aside(real)) }
      throw changedMeanwhile
    }
    let isOverwritten = overwrite(file)
    if unlink(aside(real)) != 0 { throw failed("remove", errno) }
    return isOverwritten
  }

  /// Puts new contents in the file's place, and overwrites the old file.
  private func replace(
    _ file: Int32, _ real: String, with contents: borrowing Secret
  ) throws(KeychainError) -> Bool {
    try write(contents, to: aside(real), like: file)
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    if clinux_exchange(AT_FDCWD, aside(real), real) != 0 {
      // If the file system can't exchange files, a change in this moment goes unnoticed.
      guard isAsRead(real, file) else {
        unlink(aside(real))
        throw changedMeanwhile
      }
      if rename(aside(real), real) != 0 {
        let number = errno
        unlink(aside(real))
        throw failed("write", number)
      }
      return overwrite(file)
    }
    if !isAsRead(aside(real), file) {
      if clinux_exchange(AT_FDCWD, aside(real), real) == 0 { unlink(aside(real)) }
      throw changedMeanwhile
    }
    let isOverwritten = overwrite(file)
    unlink(aside(real))
    return isOverwritten
  }

  /// Whether the open file at a path is the one that was read, with the same bytes: a program may have written a token
  /// of the same length into it.
  private func isAsRead(_ path: String, _ file: Int32) -> Bool {
    var now = stat()
    guard lstat(path, &now) == 0, now.st_ino == status.st_ino, now.st_dev == status.st_dev,
      now.st_size == status.st_size, lseek(file, 0, SEEK_SET) == 0
    else { return false }
    do throws(KeychainError) {
      return try StandardStreams.readAll(file, limit: Self.limit, what: path).isEqual(to: text)
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
    text.withUnsafeBytes { bytes in
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

  private func refuseChanged(_ file: Int32) throws(KeychainError) {
    var now = stat()
    guard fstat(file, &now) == 0, now.st_uid == geteuid() else {
      throw .failure("\(name) is another user's, and was left as it is", status: .keychain)
    }
    guard now.st_ino == status.st_ino, now.st_dev == status.st_dev, now.st_size == status.st_size,
      now.st_mtim.tv_sec == status.st_mtim.tv_sec, now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    else { throw changedMeanwhile }
  }

  private var changedMeanwhile: KeychainError {
    KeychainError(
      "\(name) has changed meanwhile; its new entries stay", hint: "import it once more", status: .keychain
    )
  }

  private func write(_ contents: borrowing Secret, to path: String, like former: Int32) throws(KeychainError)
  {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = clinux_openat(AT_FDCWD, path, flags, 0o600)
    if descriptor < 0 { throw failed("write", errno) }
    var failure = contents.withUnsafeBytes { writeFully(descriptor, $0) }
    if failure == 0 { failure = FileAccess(of: former).give(to: descriptor) }
    if failure == 0, fsync(descriptor) != 0 { failure = errno }
    close(descriptor)
    if failure != 0 {
      unlink(path)
      throw failed("write", failure)
    }
  }

  /// Overwrites the file that was read, unless it has other hard links. This erases the old contents only if the file
  /// system writes to the same blocks.
  private func overwrite(_ file: Int32) -> Bool {
    if status.st_nlink > 1 { return false }
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    var rest = Int(status.st_size)
    if lseek(file, 0, SEEK_SET) != 0 { return false }
    while rest > 0 {
      let part = min(rest, zeros.count)
      let failure = zeros.withUnsafeBytes { writeFully(file, UnsafeRawBufferPointer(rebasing: $0[..<part])) }
      if failure != 0 { return false }
      rest -= part
    }
    return fsync(file) == 0
  }

  private func failed(_ what: String, _ number: Int32) -> KeychainError {
    KeychainError("cannot \(what) \(path): \(errorText(number))", status: .keychain)
  }
}

extension KeychainError {
  /// - Parameter looks: the format that the file looks like.
  init(
    _ fault: FormatFault, in name: String, of format: FileFormat, at path: String,
    looksLike looks: FileFormat?
  ) {
    let other = looks?.name == format.name ? nil : looks
    let line = fault.line.map { "line \($0): " } ?? ""
    let looks = other.map { "; it looks like a file of \($0.name)" } ?? ""
    self.init(
      "\(name) is not a file of \(format.name): \(line)\(fault.reason)\(looks)",
      hint: fault.conversion(of: path)
        ?? other.map { "\(command: "llavero", "import", $0.name, path) imports it" },
      status: .usage)
  }
}

extension FileFormat {
  /// The variable by which a program takes a token that its file no longer has; `nil` if it asks llavero, or its import
  /// says what to write in the file.
  var variableOfProgram: String? { [Self.gitHub.name: "GH_TOKEN", Self.gitLab.name: "GITLAB_TOKEN"][name] }
}
