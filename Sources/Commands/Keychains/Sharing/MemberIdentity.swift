import Bytes
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// A member's identity, and the facts about it for others.
struct MemberIdentity {
  /// In the keychain's state folder, for an identity that llavero makes.
  private static let fileName = "member.txt"

  /// Absolute.
  let path: String
  /// In age's notation, or as a line of an ssh public key.
  let recipient: String

  /// The identity that a person has named, or else this machine's for a keychain, made if necessary.
  ///
  /// - Throws: ``KeychainError`` if it can't be used.
  init(named name: String?, for location: VaultLocation) throws(KeychainError) {
    guard let name else {
      path = Self.path(for: location)
      if let recipient = try Self.recipient(at: path) {
        self.recipient = recipient
        return
      }
      if let recipient = try SlotIdentity.make(at: location.stateFolder, Self.fileName) {
        self.recipient = recipient
        return
      }
      // Another process has made one just now.
      guard let recipient = try Self.recipient(at: path) else { throw .missing(path: path) }
      self.recipient = recipient
      return
    }
    guard let path = realPath(name) else { throw .failure("there is no file \(name)", status: .usage) }
    self.path = path
    guard let recipient = try Self.recipient(at: path) else {
      throw .failure(
        "\(path) needs a program of its own to say who it is",
        hint: "name an age identity, or an ssh key of the kind ed25519", status: .usage)
    }
    // The line of the public key has a comment as well.
    let line = try Self.firstLine(of: path + ".pub") ?? ""
    self.recipient = line.hasPrefix(recipient + " ") ? line : recipient
  }

  /// The identity file that llavero makes for a keychain.
  static func path(for location: VaultLocation) -> String { location.stateFolder + "/" + fileName }

  /// A member's label unless they choose one: the user, and the machine.
  static var usualLabel: String {
    var machine = utsname()
    uname(&machine)
    let host = withUnsafeBytes(of: &machine.nodename) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let user =
      ["USER", "LOGNAME"].lazy.compactMap { VaultLocation.environmentVariable($0) }.first ?? "\(getuid())"
    let label = "\(user)@\(host)"
    return SlotSummary.canBeLabel(label) ? label : "\(getuid())"
  }

  private static func recipient(at path: String) throws(KeychainError) -> String? {
    try SlotIdentity.recipient(at: path)
  }

  private static func firstLine(of path: String) throws(KeychainError) -> String? {
    let contents = try OpenFile(path: path, mayBeRead: true)?.contents(limit: 65_536)
    return contents?.withUnsafeBytes { bytes in
      bytes.split(separator: 0x0a).first.map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
