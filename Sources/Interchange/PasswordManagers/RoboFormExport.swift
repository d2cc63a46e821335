import Bytes
import Keychain

extension FileFormat {
  /// The output of RoboForm's "Export", "CSV". Each row ends with a field for each field of the entry's form.
  public static let roboForm = FileFormat(
    "roboform", "the CSV that RoboForm exports",
    CSVExport(
      columns: [
        .name: ["Name"], .url: ["Url"], .otherURL: ["MatchUrl"], .account: ["Login"], .password: ["Pwd"],
        .notes: ["Note"],
      ], tags: [.init(column: "Folder", isPath: true)], ownColumn: "Pwd", length: .lastRepeats
    ) { $0.takeRoboForm() })
}

extension TakenEntry {
  fileprivate mutating func takeRoboForm() {
    let indices = entry.indices(of: ["RfFieldsV2", "Rf_fields"])
    let passwords = indices.filter { Self.part(at: $0, of: entry)?.value.isEqual(to: login.secret) == true }
    let accounts = indices.filter {
      Self.part(at: $0, of: entry)?.value.withUnsafeBytes { $0.elementsEqual(login.account.bytes) } == true
    }
    // Each of the entry's columns for the login repeats one field. If several have the same value, it isn't known
    // which one.
    let repeated = (passwords.count == 1 ? passwords : []) + (accounts.count == 1 ? accounts : [])
    for index in indices {
      if repeated.contains(index) {
        _ = entry.take(at: index)
      } else {
        takeField(at: index, isConfidential: passwords.contains(index))
      }
    }
    // It puts a quote before a value that a spreadsheet could read as a formula.
    login.account = ByteString(login.account.bytes.withUnsafeBytes { Array(Self.unquoted($0)) })
    login.secret = login.secret.withUnsafeBytes { Secret(copying: Self.unquoted($0)) }
  }

  fileprivate mutating func takeField(at index: Int, isConfidential: Bool) {
    guard let field = Self.part(at: index, of: entry) else { return }
    _ = entry.take(at: index)
    if field.value.isEmpty { return }
    if field.name == "TOTP KEY", login.oneTimeCode.isEmpty {
      login.oneTimeCode = field.value.copy()
    } else if field.isHidden || isConfidential {
      login.secretFields.addField(field.name, field.value.copy())
    } else {
      login.fields.append((field.name, ByteString(field.value)))
    }
  }

  private struct FormField: ~Copyable {
    let name: ByteString
    let isHidden: Bool
    let value: Secret
  }

  private static func part(at index: Int, of entry: borrowing SourceEntry) -> FormField? {
    guard case .some(let text) = entry.peek(at: index)?.secret else { return nil }
    return text.withUnsafeBytes { Self.part(of: $0) }
  }

  /// Reads `NAME$,,,TYPE,VALUE`, each part quoted as in CSV, or in older versions `NAME$:TYPE:VALUE`.
  private static func part(of text: UnsafeRawBufferPointer) -> FormField? {
    guard let end = text.firstIndex(of: UInt8(ascii: "$")), end > 0, end + 1 < text.count else { return nil }
    let name = ByteString(text.slice(..<end))
    let rest = text.slice((end + 2)...)
    if text[end + 1] == UInt8(ascii: ",") {
      var rows = CSVRows(rest)
      guard let fields = rows.next()?.fields, fields.count == 4, rows.next() == nil else { return nil }
      return FormField(name: name, isHidden: fields[2].text == "pwd", value: fields[3].secret)
    }
    guard text[end + 1] == UInt8(ascii: ":"), let colon = rest.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    let value = Secret(copying: rest.slice((colon + 1)...))
    return FormField(name: name, isHidden: rest[..<colon].elementsEqual("pwd".utf8), value: value)
  }

  /// Without the quote before an `@` or another quote.
  private static func unquoted(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let isQuoted = text.starts(with: "'@".utf8) || text.starts(with: "''".utf8)
    return isQuoted ? text.slice(1...) : text
  }
}
