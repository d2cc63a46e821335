import Bytes
import Keychain

extension FileFormat {
  /// The exports of Enpass, in each of its forms.
  public static let enpass = FileFormat(
    "enpass", "the CSV or JSON that Enpass exports", forms: [.enpassCSV, .enpassJSON.beginning(with: "{[")])

  /// The output of Enpass's "Export", "CSV": rows of different lengths, each with a title, alternating names and values
  /// of fields, and a note. In older versions the first row says so.
  static let enpassCSV = FileFormat(
    "enpass", "the CSV that Enpass exports", holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers,
    looksLike: { EnpassCSV.isLike($0) }
  ) { text in EnpassCSV.read(text) }
}

enum EnpassCSV {
  static func isLike(_ shape: FileShape) -> Bool {
    if isHeader(shape.columns) { return true }
    let rows = shape.rows
    guard rows.count(where: { $0.count.isMultiple(of: 2) }) * 2 > rows.count else { return false }
    // The first row of another table may have the name of a column there.
    return rows.dropFirst().contains { row in
      stride(from: 1, to: row.count - 1, by: 2).contains { key(row[$0].text) == "password" }
    }
  }

  static func read(_ text: UnsafeRawBufferPointer) -> FoundLogins {
    let saysHidden = saysHidden(text)
    return FoundLogins(namedValuesIn: text, after: ["Title"], before: "Note", isHeader: isHeader) {
      entry, found in
      entry.takeEnpass(saysHidden, &found)
    }
  }

  private static func isHeader(_ row: [ByteString]) -> Bool {
    row.count > 2 && row.prefix(3).elementsEqual(["Title", "Field", "Value"])
  }

  /// A name in small letters, without the star of hidden ones.
  fileprivate static func key(_ name: ByteString) -> ByteString {
    ByteString(Array(name.bytes.drop { $0 == UInt8(ascii: "*") })).trimmed.lowercased
  }

  /// Whether hidden fields have a star before their names. In older versions they don't.
  private static func saysHidden(_ text: UnsafeRawBufferPointer) -> Bool {
    CSVRows(text).contains { row in
      guard let fields = row.fields else { return false }
      return stride(from: 1, to: fields.count - 1, by: 2).contains {
        fields[$0].raw.first == UInt8(ascii: "*")
      }
    }
  }

  /// The old and present names of fields with the secrets of one-time codes.
  fileprivate static let codes: [ByteString] = ["totp", "one-time code"]
}

extension TakenEntry {
  fileprivate mutating func takeEnpass(_ saysHidden: Bool, _ found: inout FoundLogins) {
    login.name = entry.text("Title")
    login.comment = entry.text("Note").nonEmpty
    let indices = entry.untaken
    func first(_ names: [ByteString]) -> Int? {
      for name in names {
        if let index = indices.first(where: { EnpassCSV.key(entry.name(at: $0)) == name }) { return index }
      }
      return nil
    }
    let account = first(["username", "login", "e-mail", "email"])
    let (password, address, code) = (first(["password"]), first(["website", "url"]), first(EnpassCSV.codes))
    login.account = entry.text(at: account)
    login.secret = entry.secret(at: password)
    if let text = entry.text(at: address).nonEmpty { login.addresses = [EntryAddress(text: text)] }
    login.oneTimeCode = entry.secret(at: code)
    for index in entry.untaken {
      let name = entry.name(at: index)
      if name.isEmpty { continue }
      if ["website", "url"].contains(EnpassCSV.key(name)) {
        login.addresses.append(EntryAddress(text: entry.text(at: index)))
        continue
      }
      if !saysHidden || name.bytes.first == UInt8(ascii: "*")
        || (["password"] + EnpassCSV.codes).contains(EnpassCSV.key(name))
      {
        login.secretFields.addField(
          ByteString(Array(name.bytes.drop { $0 == UInt8(ascii: "*") })), entry.secret(at: index))
      } else {
        login.fields.append((name, entry.text(at: index)))
      }
    }
    found.takeLogin(login, of: &entry)
  }
}
