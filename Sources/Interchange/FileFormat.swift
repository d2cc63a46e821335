import Bytes

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
  /// Whether the file is one of logins, so that it can go when they have gone and nothing else was found. Else it stays.
  public let holdsLoginsAlone: Bool
  /// The names of another file that has what this one lacks, in the same folder; the first that exists is to be handed
  /// to ``read(_:beside:)``. Nothing in it is confidential, and it is never changed.
  public let companions: [String]
  private let reading: Reading

  private typealias Reading =
    @Sendable (UnsafeRawBufferPointer, _ companion: UnsafeRawBufferPointer?) throws(FormatFault) ->
    FoundLogins

  /// Takes the parts of a format whose files say all by themselves.
  public init(
    _ name: String, _ summary: String, usualPaths: [String] = [], holdsLoginsAlone: Bool,
    read: @escaping @Sendable (UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins
  ) {
    self.init(
      name, summary, usualPaths: usualPaths, holdsLoginsAlone: holdsLoginsAlone, companions: []
    ) { (text, _) throws(FormatFault) in try read(text) }
  }

  /// Takes the parts of a format whose files need another one beside them.
  public init(
    _ name: String, _ summary: String, usualPaths: [String] = [], holdsLoginsAlone: Bool,
    companions: [String],
    read:
      @escaping @Sendable (
        UnsafeRawBufferPointer, _ companion: UnsafeRawBufferPointer?
      ) throws(FormatFault) -> FoundLogins
  ) {
    self.name = name
    self.summary = summary
    self.usualPaths = usualPaths
    self.holdsLoginsAlone = holdsLoginsAlone
    self.companions = companions
    reading = read
  }

  /// Reads a whole file.
  ///
  /// - Parameter companion: the file that ``companions`` names, if there is one.
  /// - Throws: ``FormatFault`` if it isn't of this format at all.
  public func read(
    _ file: UnsafeRawBufferPointer, beside companion: UnsafeRawBufferPointer? = nil
  ) throws(FormatFault) -> FoundLogins {
    try reading(file, companion)
  }

  /// Every format that can be read.
  public static let all: [FileFormat] = [
    .gitCredentials, .netrc, .docker, .gitHub, .cargo, .pypirc, .keyring, .bitwarden, .onePassword,
    .keepassxc, .chrome, .firefox, .llavero,
  ]

  /// The format of that name.
  public static func named(_ name: String) -> FileFormat? {
    all.first { $0.name == name }
  }
}
