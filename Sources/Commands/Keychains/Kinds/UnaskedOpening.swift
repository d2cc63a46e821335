import EncryptedFile
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

/// What opens an encrypted file when something is wanted, though llavero asks nobody: the words for it are the same
/// wherever they are said.
enum UnaskedOpening {
  /// The file of a key that nothing protects.
  case key(String)
  /// The file of a key that an age plugin uses, as one in hardware. It may ask for a touch or a PIN.
  case plugin(String)
  /// A slot's program. It may ask somebody.
  case program(String)
  /// `LLAVERO_PASSPHRASE_COMMAND` or a credential of systemd's.
  case source(String)

  /// `nil` if somebody has to be asked, as far as is known without opening the file.
  ///
  /// - Parameters:
  ///   - ways: the ways into the file.
  ///   - key: the file of a key that opens it.
  init?(_ ways: [SlotSummary], key: String? = nil) {
    let identity = Self.variable("LLAVERO_IDENTITY")
    let paths = ways.compactMap { $0.identityPath ?? ($0.kind == .recipient ? identity : nil) }
    if let key {
      self = .key(key)
    } else if let path = paths.first(where: { FileStatus.isThere($0) }) {
      self = .plugin(path)
    } else if let program = ways.lazy.compactMap({ $0.command?.first }).first {
      self = .program(program)
    } else if ways.contains(where: { $0.kind == .passphrase }), let source = Self.source {
      self = .source(source)
    } else {
      return nil
    }
  }

  private static var source: String? {
    if SystemdCredential()?.isThere ?? false { return "systemd's credential llavero" }
    let command = PassphraseCommand.variable
    return variable(command) == nil ? nil : command
  }

  private static func variable(_ name: String) -> String? {
    VaultLocation.environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The subject of a sentence.
  private var name: String {
    switch self {
    case .key(let path), .plugin(let path), .source(let path): path
    case .program(let program): "'\(program)'"
    }
  }

  /// The file's protection; `nil` if that is the passphrase, which the environment happens to give.
  var protection: String? {
    switch self {
    case .key(let path): "a key on this machine opens it without asking (\(path)): \(Self.notSafe(path))"
    case .plugin(let path): "a key opens it, perhaps after a question of its program: \(path)"
    case .program(let program): "a program opens it: \(program)"
    case .source: nil
    }
  }

  /// What somebody should know who adds it; `nil` if that is nothing.
  var note: String? {
    switch self {
    case .key(let path): "\(path) opens it without asking: \(Self.notSafe(path))"
    case .plugin, .program: "if \(name) asks nobody, 'llavero lock' keeps nobody out"
    case .source: nil
    }
  }

  /// The state of a file that nothing keeps unlocked.
  ///
  /// - Parameter isOpen: whether it has just been opened so.
  func state(isOpen: Bool) -> String {
    isOpen ? "not kept unlocked; \(name) opens it each time" : "locked; \(sentence)"
  }

  /// What becomes of a lock.
  var sentence: String { "\(name) opens it again when something is wanted" }

  /// From whom a file isn't safe that this key opens.
  private static func notSafe(_ key: String) -> String {
    let home = VaultLocation.environmentVariable("HOME") ?? ""
    let isInHome = !home.isEmpty && key.hasPrefix(home + "/")
    return "not safe from anyone who reads \(isInHome ? "your home" : "that file")"
  }
}

extension UnaskedOpening {
  /// What opens this file; `nil` if somebody has to be asked.
  init?(_ summary: VaultSummary) {
    self.init(summary.ways, key: summary.keyThatOpensUnasked)
  }
}
