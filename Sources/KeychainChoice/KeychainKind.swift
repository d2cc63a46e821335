/// A kind of keychain, by its name.
public struct KeychainKind: RawRepresentable, Sendable {
  /// The name.
  public let rawValue: String
  /// Whether the kind has a keychain with the kind's name, which needs no listing.
  package let hasBuiltIn: Bool
  /// Whether keychains of this kind can be listed with a name and place of their own.
  package let canBeListed: Bool
  /// Whether other people use such a keychain, too.
  package let isShared: Bool
  /// Whether such a keychain is an encrypted file on this machine.
  package let isFile: Bool
  /// Whether only a companion of `llavero` reaches it.
  package let needsCompanion: Bool
  /// Whether it is another machine's, which decides what it gives away, and renews its tokens itself.
  package let isOfOtherMachine: Bool

  package init(
    _ name: String, hasBuiltIn: Bool = false, canBeListed: Bool = false, isShared: Bool = false,
    isFile: Bool = false, needsCompanion: Bool = false, isOfOtherMachine: Bool = false
  ) {
    rawValue = name
    self.hasBuiltIn = hasBuiltIn
    self.canBeListed = canBeListed
    self.isShared = isShared
    self.isFile = isFile
    self.needsCompanion = needsCompanion
    self.isOfOtherMachine = isOfOtherMachine
  }
}

extension KeychainKind: Hashable, CaseIterable {
  /// Whether both have the same name.
  public static func == (first: KeychainKind, second: KeychainKind) -> Bool {
    first.rawValue == second.rawValue
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension KeychainKind {
  /// Whether such a file is a copy of what a repository has, for several people.
  package var hasRepository: Bool { isShared && isFile }

  /// Whether it is on a server that several people use.
  package var isOnServer: Bool { isShared && !isFile }

  /// The names of the keychains that need no listing.
  package static var builtInNames: [String] { allCases.filter(\.hasBuiltIn).map(\.rawValue) }
}

extension KeychainKind {
  /// The program's own kinds, one after another; `nil` after the last. (An answer asks for one: no list is made for it.)
  private static func own(_ index: Int) -> (any KeychainDescriptor)? {
    switch index {
    case 0: FileKind()
    case 1: SecretServiceKind()
    case 2: ForwardedKind()
    case 3: OpenBaoKind()
    case 4: GitKind()
    default: nil
    }
  }

  /// Kinds besides these. A program sets it before anything else runs.
  nonisolated(unsafe) package static var further: [any KeychainDescriptor] = []

  /// All kinds.
  public static var allCases: [KeychainKind] {
    var kinds: [KeychainKind] = []
    while let descriptor = own(kinds.count) { kinds.append(descriptor.kind) }
    return kinds + further.map(\.kind)
  }

  /// The kind of a name.
  public init?(rawValue: String) {
    guard let kind = Self.descriptor(of: rawValue)?.kind else { return nil }
    self = kind
  }

  package var descriptor: any KeychainDescriptor {
    guard let descriptor = Self.descriptor(of: rawValue) else {
      preconditionFailure("a kind is known before it is named")
    }
    return descriptor
  }

  private static func descriptor(of name: String) -> (any KeychainDescriptor)? {
    var index = 0
    while let descriptor = own(index) {
      if descriptor.kind.rawValue == name { return descriptor }
      index += 1
    }
    return further.first { $0.kind.rawValue == name }
  }
}
