import Bytes
import Keychain

extension FileFormat {
  /// The plaintext of a keychain file, and the output of `llavero export`: JSON Lines, an object for each item. A
  /// keychain file's first line describes it, and its last lines are records of deleted or changed items; these are
  /// skipped.
  public static let llavero = FileFormat(
    "llavero", "a decrypted vault of llavero, or an export of one", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers,
    looksLike: { shape in
      // An export may be encrypted; a keychain file always is (age-encryption.org/v1).
      let isEncrypted = ["age-encryption.org/v1\n", "-----BEGIN AGE ENCRYPTED FILE-----"].contains {
        shape.bytes.starts(with: $0.utf8)
      }
      return isEncrypted || shape.members.contains("class") || shape.members.contains("app")
    }
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    var firstMalformed: Int?
    for line in FileLines(text) where !line.isBlank {
      do throws(JSONReader.Malformed) {
        var entry = SourceEntry(at: .line(line.number), removals: [Removal(line.range)])
        try entry.addMembers(of: line.text)
        try readLine(line.text, &entry, &found)
      } catch {
        firstMalformed = firstMalformed ?? line.number
        let isLast = line.range.upperBound == text.count && text.last != 0x0a
        found.passOver(.line(line.number), isLast ? .cutOff : .malformed)
      }
    }
    if let firstMalformed, found.logins.isEmpty {
      throw FormatFault("it has no line of an item", line: firstMalformed)
    }
    return found
  }

  private static func readLine(
    _ text: UnsafeRawBufferPointer, _ entry: inout SourceEntry, _ found: inout FoundLogins
  ) throws(JSONReader.Malformed) {
    if entry.index(of: ["app"]) != nil { return }
    // The keychain file's own name for an item.
    if entry.text("k").bytes.starts(with: "old ".utf8) { return }
    entry.take(["id"])
    entry.take(["rev"])
    let created = entry.date("created")
    let modified = entry.date("modified")
    var attributes = ItemMembers()
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if try attributes.take(name, value) || Credential.isConfidentialMember(name) {
        entry.take([try JSONValue.name(name)])
      }
    }
    var item = try attributes.item()
    item.creationDate = created
    item.modificationDate = modified
    found.take(FoundLogin(item, try Credential(confidentialMembersOf: text), of: entry, page: nil))
  }
}
