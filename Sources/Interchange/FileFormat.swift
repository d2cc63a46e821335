import Bytes

/// A format of files in which another program stores logins.
public struct FileFormat: Sendable {
  /// The name on the command line.
  public let name: String
  /// A description for a list of the formats: `git-credential-store's file`.
  public let summary: String
  /// The usual paths of such a file, of which the first existing one is used; empty if people make such files.
  ///
  /// `~` at the beginning is the home directory, `$NAME` at the beginning an environment variable. A path with an unset
  /// variable is skipped. `$NAME:` stands for each of the paths in a variable, separated by colons, and `/**ENDING` at
  /// the end for each file below a folder whose name has this ending.
  public let usualPaths: [String]
  /// Whether the file holds only logins, so that it can be removed with them if nothing else was found. Otherwise it
  /// stays.
  public let holdsLoginsAlone: Bool
  /// The names of a companion file in the same folder with data that this one lacks. The first existing one is passed
  /// to ``read(_:beside:)``. Nothing in it is confidential, and it is never changed.
  public private(set) var companions: [String] = []
  /// The meaning of several logins for the same place with different secrets.
  public enum SeveralForTheSame: Sendable {
    /// Programs that read the file take different ones, or refuse it. So all of them are skipped.
    case disputed
    /// The file's program takes the first one.
    case firstAnswers
    /// The last changed one is active; none, if unknown.
    case lastChangedAnswers
  }

  /// Further names on the command line, of programs with the same format.
  public let otherNames: [String]

  /// A container of such a file, which another program must unpack.
  public enum Wrapping: Sendable {
    /// A ZIP archive with one of these members.
    case archive(members: [String])
    /// A KeePass database, with the file as its XML.
    case keePassDatabase

    /// The container's name for people.
    public var name: String {
      switch self {
      case .archive: "a ZIP archive"
      case .keePassDatabase: "a database of KeePass"
      }
    }

    /// Its beginning: a ZIP archive's first header (APPNOTE.TXT, section 4.3.7), or the signature of KeePass 2.
    private var beginning: [UInt8] {
      switch self {
      case .archive: [0x50, 0x4b, 0x03, 0x04]
      case .keePassDatabase: [0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5]
      }
    }

    /// Whether a file is such a container.
    public func isOne(_ file: UnsafeRawBufferPointer) -> Bool { file.starts(with: beginning) }
  }

  /// The container that files of this format may be in, if any.
  public private(set) var wrapping: Wrapping?

  /// The same format, in a container.
  func wrapped(in wrapping: Wrapping) -> FileFormat {
    var format = self
    format.wrapping = wrapping
    return format
  }

  private let severalForTheSame: SeveralForTheSame
  private let recognition: @Sendable (FileShape) -> Likeness
  private var reading: Reading

  private typealias Reading =
    @Sendable (UnsafeRawBufferPointer, _ companion: UnsafeRawBufferPointer?) throws(FormatFault) ->
    FoundLogins

  /// A format whose files are complete by themselves.
  ///
  /// - Parameters:
  ///   - looksLike: whether a file looks like one of the format. Without it, people must name the format.
  ///   - likeness: the same, if it may be uncertain.
  init(
    _ name: String, _ summary: String, usualPaths: [String] = [], holdsLoginsAlone: Bool,
    severalForTheSame: SeveralForTheSame = .disputed, otherNames: [String] = [],
    looksLike: @escaping @Sendable (FileShape) -> Bool = { _ in false },
    likeness: (@Sendable (FileShape) -> Likeness)? = nil,
    read: @escaping @Sendable (UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins
  ) {
    self.name = name
    self.summary = summary
    self.usualPaths = usualPaths
    self.holdsLoginsAlone = holdsLoginsAlone
    self.severalForTheSame = severalForTheSame
    self.otherNames = otherNames
    recognition = likeness ?? { looksLike($0) ? .certain : .none }
    reading = { (text, _) throws(FormatFault) in try read(text) }
  }

  /// The same format, whose files need a companion file.
  func beside(
    _ companions: [String],
    read:
      @escaping @Sendable (
        UnsafeRawBufferPointer, _ companion: UnsafeRawBufferPointer?
      ) throws(FormatFault) -> FoundLogins
  ) -> FileFormat {
    var format = self
    format.companions = companions
    format.reading = read
    return format
  }

  /// A format with several forms. A file is read by the one that recognizes it, else by the first with the same
  /// beginning.
  ///
  /// - Parameter others: forms of other formats, which are read but not recognized as this one.
  init(
    _ name: String, _ summary: String, otherNames: [String] = [], forms: [FileFormat],
    others: [FileFormat] = []
  ) {
    self.init(
      name, summary, holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers, otherNames: otherNames,
      likeness: { shape in forms.lazy.map { $0.recognition(shape) }.max() ?? .none }
    ) { text throws(FormatFault) in try Self.form(of: text, among: forms + others).reading(text, nil) }
    self.forms = forms + others
    wrapping = (forms + others).lazy.compactMap(\.wrapping).first
  }

  /// The forms; empty if there is only this one.
  private var forms: [FileFormat] = []

  func form(of text: UnsafeRawBufferPointer) -> FileFormat {
    forms.isEmpty ? self : Self.form(of: text, among: forms)
  }

  private static func form(of text: UnsafeRawBufferPointer, among forms: [FileFormat]) -> FileFormat {
    let shape = FileShape(text, in: text)
    let first = text.first { $0 > 0x20 }
    return forms.first { $0.recognition(shape) == .certain }
      ?? forms.first { $0.recognition(shape) == .possible }
      ?? forms.first { form in first.map(form.beginnings.contains) ?? false } ?? forms[0]
  }

  /// The first bytes that distinguish this form; empty for a table.
  private var beginnings: [UInt8] = []

  func beginning(with bytes: String) -> FileFormat {
    var form = self
    form.beginnings = Array(bytes.utf8)
    return form
  }

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - companion: the file named by ``companions``, if there is one.
  ///   - paths: which paths of logins are left out; `nil` for the source's own rule.
  /// - Returns: the logins. Their removals refer to the text of the file, as in ``SourceText``.
  /// - Throws: ``FormatFault`` if the file doesn't have this format at all, or isn't text.
  public func read(
    _ file: UnsafeRawBufferPointer, beside companion: UnsafeRawBufferPointer? = nil, paths: PathChoice? = nil
  ) throws(FormatFault) -> FoundLogins {
    var found = try entries(file, beside: companion)
    found.settle(paths, severalForTheSame)
    return found
  }

  /// Reads a file, each of its entries separately.
  ///
  /// - Throws: as ``read(_:beside:paths:)`` does.
  func entries(
    _ file: UnsafeRawBufferPointer, beside companion: UnsafeRawBufferPointer? = nil
  ) throws(FormatFault) -> FoundLogins {
    try SourceText(file).lend(of: file) { (text) throws(FormatFault) in
      var found = FoundLogins()
      if let companion {
        found = try SourceText(companion).lend(of: companion) { (companion) throws(FormatFault) in
          try reading(text, companion)
        }
      } else {
        found = try reading(text, nil)
      }
      // Files made by people, such as exports, have no settings.
      if !usualPaths.isEmpty { found.nameUnknownSecrets(of: text) }
      found.hasOthersOfPerson = usualPaths.isEmpty && found.hasOthers
      return found
    }
  }

  /// Every format that can be read.
  public static let all: [FileFormat] = [
    .gitCredentials, .gitConfiguration, .netrc, .gcm, .docker, .gitHub, .gitLab, .cargo, .pypirc, .keyring,
    .pip,
    .uv,
    .aws, .terraform, .kubectl, .npm, .yarn, .composer, .gradle, .maven, .nuget, .rclone, .pgpass, .mysql,
    .vault,
    .bitwarden, .onePassword, .keepassxc, .keePass, .lastPass, .dashlane, .protonPass, .nordPass, .enpass,
    .roboForm, .keeper, .credentialExchange, .chrome, .firefox, .safari, .llavero,
  ]

  /// The format of that name.
  public static func named(_ name: String) -> FileFormat? {
    all.first { $0.name == name || $0.otherNames.contains(name) }
  }

  func likeness(_ shape: FileShape) -> Likeness { recognition(shape) }
}
