import Bytes
import JSON
import Keychain

extension FileFormat {
  /// The plaintext of a llavero vault, and the output of `llavero export`: JSON Lines, an object for each item. In a
  /// vault, the first line describes the vault, and the last lines are records of deleted or changed items; these are
  /// skipped.
  public static let llavero = FileFormat(
    "llavero", "a vault of llavero, decrypted, or what 'llavero export' wrote", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    var firstMalformed: Int?
    for line in FileLines(text) where !line.isBlank {
      do throws(JSONReader.Malformed) {
        let record = try LlaveroLine(line.text)
        if record.isHead || record.isRetired { continue }
        found.take(
          FoundLogin(
            try record.item(), try Credential(confidentialMembersOf: line.text), at: .line(line.number),
            removals: [Removal(line.range)]))
      } catch {
        firstMalformed = firstMalformed ?? line.number
        found.passOver(.line(line.number), .malformed)
      }
    }
    if let firstMalformed, found.logins.isEmpty {
      throw FormatFault("it has no line of an item", line: firstMalformed)
    }
    return found
  }
}

/// A line, without its confidential parts.
private struct LlaveroLine {
  let isHead: Bool
  let isRetired: Bool
  private let attributes: ItemAttributes
  private let created: Timestamp?
  private let modified: Timestamp?

  init(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var (isHead, isRetired) = (false, false)
    var attributes = ItemAttributes()
    var (created, modified): (Timestamp?, Timestamp?)
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "app" {
        isHead = true
      } else if name == "k" {
        isRetired = try value.string().bytes.starts(with: "old ".utf8)
      } else if name == "created" {
        created = try value.timestamp()
      } else if name == "modified" {
        modified = try value.timestamp()
      } else {
        _ = try attributes.take(name, value)
      }
    }
    (self.isHead, self.isRetired) = (isHead, isRetired)
    self.attributes = attributes
    (self.created, self.modified) = (created, modified)
  }

  /// The item, with its dates.
  func item() throws(JSONReader.Malformed) -> Item {
    var item = try attributes.item()
    item.creationDate = created
    item.modificationDate = modified
    return item
  }
}
