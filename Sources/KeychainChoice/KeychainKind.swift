/// A kind of keychain, by its name.
public struct KeychainKind: RawRepresentable, Sendable {
  /// The name.
  public let rawValue: String
  package let traits: Traits

  /// What sets a kind apart from others.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is a keychain with the kind's name, which needs no listing.
    package static let builtIn = Traits(rawValue: 1)
    /// Keychains of this kind can be listed with a name and place of their own.
    package static let listed = Traits(rawValue: 2)
    /// Other people use such a keychain, too.
    package static let shared = Traits(rawValue: 4)
    /// It is an encrypted file on this machine.
    package static let file = Traits(rawValue: 8)
    /// Only a companion of `llavero` reaches it.
    package static let companion = Traits(rawValue: 16)
    /// It is another machine's, which decides what it gives away, and renews its tokens itself.
    package static let otherMachine = Traits(rawValue: 32)
  }

  package init(_ name: String, _ traits: Traits) {
    rawValue = name
    self.traits = traits
  }

  /// The encrypted file.
  public static var file: KeychainKind { KeychainKind("file", [.builtIn, .listed, .file]) }
  /// The desktop's Secret Service.
  public static var secretService: KeychainKind { KeychainKind("secret-service", [.builtIn, .companion]) }
  /// Another machine's keychain, which ssh forwards to this one.
  public static var forwarded: KeychainKind { KeychainKind("forwarded", [.builtIn, .otherMachine]) }
  /// A keychain in OpenBao or HashiCorp Vault.
  public static var openBao: KeychainKind { KeychainKind("openbao", [.listed, .shared]) }
  /// An encrypted file that several people or machines share through a git repository.
  public static var git: KeychainKind { KeychainKind("git", [.listed, .shared, .file]) }

  /// The kind of a name.
  public init?(rawValue: String) {
    switch rawValue {
    case "file": self = .file
    case "secret-service": self = .secretService
    case "forwarded": self = .forwarded
    case "openbao": self = .openBao
    case "git": self = .git
    default:
      guard let kind = Self.further.first(where: { $0.kind.rawValue == rawValue })?.kind else { return nil }
      self = kind
    }
  }
}

extension KeychainKind: Hashable, CaseIterable {
  /// Whether both have the same name.
  public static func == (first: KeychainKind, second: KeychainKind) -> Bool {
    first.rawValue == second.rawValue
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// All kinds.
  public static var allCases: [KeychainKind] {
    [.file, .secretService, .forwarded, .openBao, .git] + further.map(\.kind)
  }
}

extension KeychainKind {
  /// Whether the kind has a keychain with the kind's name.
  package var hasBuiltIn: Bool { traits.contains(.builtIn) }

  /// Whether keychains of this kind can be listed with a name and place of their own.
  package var canBeListed: Bool { traits.contains(.listed) }

  /// Whether other people use such a keychain, too.
  package var isShared: Bool { traits.contains(.shared) }

  /// Whether such a keychain is an encrypted file on this machine.
  package var isFile: Bool { traits.contains(.file) }

  /// Whether such a file is a copy of what a repository has, for several people.
  package var hasRepository: Bool { traits.isSuperset(of: [.shared, .file]) }

  /// Whether it is on a server that several people use.
  package var isOnServer: Bool { isShared && !isFile }

  package var needsCompanion: Bool { traits.contains(.companion) }

  package var isOfOtherMachine: Bool { traits.contains(.otherMachine) }
}
