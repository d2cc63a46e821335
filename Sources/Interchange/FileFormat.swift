/// A form in which another program keeps logins in a file.
public struct FileFormat: Sendable {
  /// What the command line calls it.
  public let name: String
  /// What it is, for a list of the formats: `git-credential-store's file`.
  public let summary: String
  /// Where such a file lies if nothing else is said, the first that exists; empty if people make such files.
  ///
  /// A beginning of `~` is the home directory, `$NAME` at the beginning a variable of the environment: a path that needs
  /// one that isn't set is passed over.
  public let usualPaths: [String]
  /// Whether the file has nothing but logins, so that it can go when they have gone. Else its other contents stay.
  public let holdsLoginsAlone: Bool
  /// Reads a whole file.
  public let read: @Sendable (UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins

  /// Takes the parts.
  public init(
    _ name: String, _ summary: String, usualPaths: [String] = [], holdsLoginsAlone: Bool,
    read: @escaping @Sendable (UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins
  ) {
    self.name = name
    self.summary = summary
    self.usualPaths = usualPaths
    self.holdsLoginsAlone = holdsLoginsAlone
    self.read = read
  }

  /// Every format that can be read.
  public static let all: [FileFormat] = [.gitCredentials]

  /// The format of that name.
  public static func named(_ name: String) -> FileFormat? {
    all.first { $0.name == name }
  }
}
