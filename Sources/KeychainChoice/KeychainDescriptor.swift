package import Keychain

/// All that has to be told of a kind of keychain, so that every command can use it.
package protocol KeychainDescriptor: Sendable {
  var kind: KeychainKind { get }

  /// The names of the settings that an encrypted file of this kind may have in the list.
  var fileSettings: [String] { get }

  /// Opens a keychain of this kind.
  ///
  /// - Parameter opener: the program's part in it.
  /// - Throws: ``KeychainError`` if it can't be used.
  func open(_ keychain: ListedKeychain, by opener: any KeychainOpener) throws(KeychainError)
    -> any KeychainStore

  /// The built-in keychain that llavero itself serves by an open one, and that is used in its place. Through a service,
  /// every answer would take longer, and the server would be asked for what it asks.
  func served(by keychain: any KeychainStore) -> KeychainKind?
}

extension KeychainDescriptor {
  package var fileSettings: [String] { [] }

  package func served(by keychain: any KeychainStore) -> KeychainKind? { nil }
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
