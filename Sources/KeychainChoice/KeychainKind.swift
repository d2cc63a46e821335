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
