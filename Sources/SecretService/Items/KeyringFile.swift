import Bytes
import Glibc
import Keychain

/// The file in which gnome-keyring keeps a collection: `$XDG_DATA_HOME/keyrings/NAME.keyring`.
///
/// A keyring without a password, as automatic login makes it, is a text file (GLib's key file format). gnome-keyring
/// writes secrets into it without escaping, but reads escapes: `\t` comes back as a tab, outer spaces are lost, and a
/// secret of two lines makes the file unreadable. Anything but UTF-8 is written in hexadecimal, and survives.
struct KeyringFile {
  let path: String
  /// Whether it is text, so the keyring has no password.
  let isText: Bool

  /// The file of a collection; `nil` if there is none in the folder.
  ///
  /// - Parameters:
  ///   - collection: the collection's object path; its end is the file's name, with escapes such as `_20`.
  ///   - folder: gnome-keyring's folder; `nil` for the usual one.
  init?(ofCollection collection: String, in folder: String?) {
    let name = ObjectPath.name(collection.split(separator: "/").last ?? "").description
    if name.isEmpty || name.contains("/") { return nil }
    self.init(path: "\(folder ?? Self.usualFolder)/\(name).keyring")
  }

  private init?(path: String) {
    guard let start = Self.contents(of: path, limit: Self.mark.count) else { return nil }
    self.path = path
    isText = start.withUnsafeBytes { $0.elementsEqual(Self.mark) }
  }

  /// The beginning of a file; `nil` if it can't be read.
  private static func contents(of path: String, limit: Int) -> Secret? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    let limit = min(limit, Int(status.st_size))
    var contents = Secret(capacity: limit)
    while contents.count < limit {
      let before = contents.count
      contents.append(count: limit - before) { max(0, read(file, $0.baseAddress, $0.count)) }
      if contents.count == before { break }
    }
    return contents
  }

  /// The files that gnome-keyring can't read, each with the number of the failing line.
  ///
  /// - Parameter folder: gnome-keyring's folder; `nil` for the usual one.
  static func damaged(in folder: String?) -> [(path: String, line: Int)] {
    let path = folder ?? usualFolder
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var damaged: [(path: String, line: Int)] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(".keyring"), let file = KeyringFile(path: "\(path)/\(name)"),
        let line = file.unreadableLine
      else { continue }
      damaged.append((file.path, line))
    }
    return damaged.sorted { $0.path < $1.path }
  }

  private static let mark = Array("[keyring]".utf8)

  /// The number of the first line that is neither empty nor a comment, a group or a key with its value; `nil` if there
  /// is none, or the file isn't text.
  private var unreadableLine: Int? {
    guard isText, let text = Self.contents(of: path, limit: 16 << 20) else { return nil }
    return text.withUnsafeBytes { bytes in
      let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
      return lines.firstIndex { !Self.isReadable($0) }.map { $0 + 1 }
    }
  }

  private static func isReadable(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    let line = line.drop { $0 == 0x20 || 0x09...0x0d ~= $0 }
    guard let first = line.first, first != UInt8(ascii: "#") else { return true }
    if first == UInt8(ascii: "[") { return line.contains(UInt8(ascii: "]")) }
    return line.firstIndex(of: UInt8(ascii: "=")).map { isKey(line[..<$0]) } ?? false
  }

  private static func isKey(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    let name = name.prefix { $0 != 0x20 }
    return !name.isEmpty
      && name.allSatisfy {
        $0 >= 0x80 || $0 == 0x2d || 0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0
      }
  }

  private static var usualFolder: String {
    func value(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return (value("XDG_DATA_HOME") ?? (value("HOME") ?? "") + "/.local/share") + "/keyrings"
  }
}

extension SecretServiceKeychain {
  /// A secret for a collection.
  ///
  /// - Parameters:
  ///   - body: returns its stored form, plain or one that survives in gnome-keyring's text; `nil` if there is none.
  /// - Throws: ``KeychainError/refused(call:error:detail:)`` if gnome-keyring would damage it, or other contents of the
  ///   keyring.
  func surviving(
    in collection: String, _ body: (_ isPlain: Bool) -> Secret?
  ) throws(KeychainError) -> Secret? {
    guard let plain = body(true) else { return nil }
    guard plain.withUnsafeBytes(SecretBody.isFragile), service.product == .gnomeKeyring else { return plain }
    let file = KeyringFile(ofCollection: collection, in: settings.keyringFolder)
    if let file, !file.isText { return plain }
    if let other = body(false) { return other }
    if file == nil { return plain }
    throw .refused(
      call: "CreateItem", error: "",
      detail:
        "the keyring '\(collectionName(of: collection))' has no password, and gnome-keyring would damage a secret "
        + "with several lines, control characters, backslashes or outer spaces in its file")
  }
}
