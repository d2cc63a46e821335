import Glibc
public import Keychain
import PrivateFiles

/// The location of a vault and the files that belong to it (XDG Base Directory Specification 0.8).
public struct VaultLocation: Hashable, Sendable {
  /// The folder of the vault, its lock and the copies of its slots; mode 0700.
  public let vaultFolder: String
  /// The folder of this machine's own files, such as the identity; mode 0700.
  public let stateFolder: String
  /// `HOME`, if it is an absolute path.
  private let home: String?
  /// `SUDO_UID`: the caller of sudo.
  private let sudoCaller: String?

  /// Makes a location of two folders.
  public init(vaultFolder: String, stateFolder: String) {
    self.vaultFolder = vaultFolder
    self.stateFolder = stateFolder
    home = nil
    sudoCaller = nil
  }

  /// Whether both have the same folders.
  public static func == (left: VaultLocation, right: VaultLocation) -> Bool {
    left.vaultFolder == right.vaultFolder && left.stateFolder == right.stateFolder
  }

  /// Hashes the two folders.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(vaultFolder)
    hasher.combine(stateFolder)
  }

  /// The user's own location: `llavero` under `XDG_DATA_HOME` (default `~/.local/share`) and under `XDG_STATE_HOME`
  /// (default `~/.local/state`). Relative paths in these variables are ignored, as the specification demands.
  ///
  /// - Parameter environment: returns the value of an environment variable.
  /// - Throws: `KeychainError.unavailable` if a folder needs `HOME` and that is no absolute path, or a path isn't
  ///   UTF-8.
  public init(environment: (String) -> String? = Self.environmentVariable) throws(KeychainError) {
    let home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    func folder(_ variable: String, fallback: String) throws(KeychainError) -> String {
      if let value = environment(variable), value.hasPrefix("/") {
        return try Self.checked(value, variable) + "/llavero"
      }
      guard let home else { throw .unavailable(reason: "HOME is not set to an absolute path") }
      return try Self.checked(home, "HOME") + fallback + "/llavero"
    }
    vaultFolder = try folder("XDG_DATA_HOME", fallback: "/.local/share")
    stateFolder = try folder("XDG_STATE_HOME", fallback: "/.local/state")
    self.home = home
    sudoCaller = environment("SUDO_UID")
  }

  /// `HOME`, if one of the folders is in it, whichever variable named that.
  private var usedHome: String? {
    guard let home else { return nil }
    var prefix = home[...]
    while prefix.hasSuffix("/") { prefix.removeLast() }
    return [vaultFolder, stateFolder].contains { $0.hasPrefix(prefix + "/") } ? home : nil
  }

  /// Throws if the location's home folder doesn't exist, for example because it isn't mounted. All traces of a vault
  /// are gone with it, and nothing may be made in its place.
  ///
  /// - Throws: `KeychainError.missing` with the path of the home folder.
  package func refuseMissingHome() throws(KeychainError) {
    var status = stat()
    if let home = usedHome, stat(home, &status) != 0, errno == ENOENT { throw .missing(path: home) }
  }

  /// Whether the path is the location's home folder.
  package func isHome(_ path: String) -> Bool { path == usedHome }

  /// Throws if a vault would be made for root in the home folder of a caller of `sudo` that has kept `HOME`. The owner
  /// could then use neither the vault nor `~/.local`. (Root of a container may well have a home of another owner.)
  ///
  /// - Throws: `KeychainError.unsafeFile` with the path of the home folder.
  func refuseHomeOfAnother() throws(KeychainError) {
    var status = stat()
    guard geteuid() == 0, let sudoCaller, sudoCaller != "0", let home = usedHome,
      stat(home, &status) == 0, sudoCaller == "\(status.st_uid)"
    else { return }
    throw .unsafeFile(path: home, .owner(uid: status.st_uid))
  }

  /// Returns the path. With U+FFFD in place of other bytes it would lead to another folder.
  private static func checked(_ path: String, _ variable: String) throws(KeychainError) -> String {
    if path.unicodeScalars.contains("\u{FFFD}") {
      throw .unavailable(reason: "the path in \(variable) is not UTF-8")
    }
    return path
  }

  /// The value of an environment variable of this process.
  public static func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The vault itself.
  public var vaultFile: String { vaultFolder + "/" + Self.vaultName }
  /// The plain identity, if the vault has one.
  public var identityFile: String { stateFolder + "/" + Self.identityName }

  /// Whether a file is, or would be, in one of the two folders or below.
  package func contains(_ path: String) -> Bool {
    let end = path.lastIndex(of: "/")
    guard let folder = realPath(end.map { String(path[...$0]) } ?? ".") else { return false }
    return [vaultFolder, stateFolder].compactMap { realPath($0) }.contains { own in
      folder == own || folder.hasPrefix(own + "/")
    }
  }

  /// Whether a path without links is, or would be, in a folder for this vault alone: the state folder, or the folders
  /// of its slots and its earlier states.
  package func reserves(_ path: String) -> Bool {
    let vault = realPath(vaultFolder) ?? vaultFolder
    return [
      realPath(stateFolder) ?? stateFolder, vault + "/" + Self.slotsName,
      vault + "/" + Generations.folderName,
    ].contains { own in path == own || path.hasPrefix(own + "/") }
  }

  /// Whether a path is a file's beside the vault, in the state folder, or among the earlier states.
  package func holds(_ path: String) -> Bool {
    guard let end = path.lastIndex(of: "/") else { return false }
    return [vaultFolder, stateFolder, vaultFolder + "/" + Generations.folderName].contains(
      String(path[..<end]))
  }

  static let vaultName = "vault.age"
  package static let lockName = "lock"
  /// The copies of the slots, beside the vault; in the state folder, the notes about them.
  static let slotsName = "slots"
  package static let identityName = "identity.txt"
  /// The identity while its vault is being made; see `VaultCreation`.
  static let newIdentityName = "identity.txt.new"
}
