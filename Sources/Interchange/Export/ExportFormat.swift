public import Bytes
public import Keychain

/// A format for exporting items to other programs.
public struct ExportFormat: Sendable {
  /// Why an item isn't written.
  public enum Omission: Error, Hashable, Sendable {
    /// The format has no place for items of its kind.
    case otherKind
    /// It has a byte that the format can't represent, such as a line break.
    case unspeakable
    /// Programs would confuse it with another login of its host, which is written.
    case otherLogin
  }

  /// What became of an item.
  public enum Outcome: Equatable, Sendable {
    case omitted(Omission)
    /// It is written, without the named fields.
    case written(without: [String])
  }

  /// The name on the command line.
  public let name: String
  /// A description for a list of the formats.
  public let summary: String
  /// Whether the format preserves everything.
  public let isComplete: Bool
  /// The text before the first item, between items, and after the last one.
  var frame = Frame()
  /// The items in the order that makes programs take the right ones, some of them twice, and those that programs can't
  /// be made to take.
  public var arrange: @Sendable ([Item]) -> (written: [Item], omitted: [Item]) = { ($0, []) }
  let write: Writing

  typealias Writing =
    @Sendable (Item, borrowing Credential, inout ExportedFields, inout Secret) throws(Omission) -> Void

  struct Frame: Sendable {
    var beginning: @Sendable (Timestamp) -> ByteString = { _ in "" }
    var separator: StaticString = ""
    var ending: StaticString = ""
  }

  init(
    _ name: String, _ summary: String, isComplete: Bool = false, frame: Frame = Frame(),
    write: @escaping Writing
  ) {
    self.name = name
    self.summary = summary
    self.isComplete = isComplete
    self.frame = frame
    self.write = write
  }

  /// Appends the text before the first item.
  public func begin(_ text: inout Secret, at now: Timestamp) { text.append(contentsOf: frame.beginning(now)) }

  /// Appends an item to a text.
  ///
  /// - Parameter isFirst: whether no item has been written before.
  public func append(
    _ item: Item, _ credential: borrowing Credential, isFirst: Bool = true, to text: inout Secret
  ) -> Outcome {
    // An item that never answers would become an ordinary login.
    if item.isNegative, !isComplete { return .omitted(.otherKind) }
    var fields = ExportedFields(item, credential)
    var entry = Secret()
    do throws(Omission) { try write(item, credential, &fields, &entry) } catch { return .omitted(error) }
    if !isFirst { text.append(frame.separator) }
    text.append(entry)
    return .written(without: fields.names)
  }

  /// Appends the text after the last item.
  public func end(_ text: inout Secret) { text.append(frame.ending) }

  /// Every format, the default first.
  public static let all: [ExportFormat] = [
    .jsonLines, .bitwardenCSV, .keepassxcCSV, .onePasswordCSV, .credentialExchange, .netrc, .gitCredentials,
  ]

  /// The format of that name.
  public static func named(_ name: String) -> ExportFormat? { all.first { $0.name == name } }

  /// JSON Lines: the keychain file's own format, an object for each item, with its dates and all confidential parts.
  /// `llavero import llavero` reads it.
  public static let jsonLines = ExportFormat(
    "jsonl", "JSON Lines with everything, for 'llavero import llavero'", isComplete: true
  ) { item, credential, fields, text in
    fields.takeAll()
    var json = JSONWriter(capacity: 512)
    json.beginObject()
    json.member("created", item.creationDate)
    json.member("modified", item.modificationDate)
    json.attributes(of: item)
    json.confidentialMembers(of: credential)
    json.endObject()
    text.append(json.finishLine())
  }
}
