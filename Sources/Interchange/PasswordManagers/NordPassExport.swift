import Bytes
import Keychain

extension FileFormat {
  /// The output of NordPass's "Export items", with rows for cards, notes, identities and folders, too; further
  /// addresses and people's own fields are JSON.
  public static let nordPass = FileFormat(
    "nordpass", "the CSV that NordPass exports",
    CSVExport(
      columns: [
        .name: ["name"], .url: ["url"], .account: ["username"], .password: ["password"], .notes: ["note"],
        .kind: ["type"],
      ], tags: [.init(column: "folder")], ownColumn: "cardholdername", length: .lastMayLack,
      kind: ("password", .foreign)
    ) { entry in
      entry.takeAddresses()
      entry.takeFields()
    })
}

extension TakenEntry {
  fileprivate mutating func takeAddresses() {
    let index = entry.index(of: ["additional_urls"])
    guard case .some(let text) = entry.peek(at: index)?.secret else { return }
    var addresses: [EntryAddress] = []
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: bytes) { (element) throws(JSONReader.Malformed) in
          addresses.append(EntryAddress(text: try element.string()))
        }
      }
    } catch { return }
    _ = entry.take(at: index)
    login.addresses += addresses
  }

  fileprivate mutating func takeFields() {
    let index = entry.index(of: ["custom_fields"])
    guard case .some(let text) = entry.peek(at: index)?.secret else { return }
    var names: [(name: ByteString, isHidden: Bool)] = []
    var values = Secret()
    var ends: [Int] = []
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: bytes) { (element) throws(JSONReader.Malformed) in
          var name: ByteString = ""
          var isHidden = false
          try JSONReader.members(of: element.raw) { (member, value) throws(JSONReader.Malformed) in
            switch try JSONValue.name(member) {
            case "label": name = try value.string()
            case "type": isHidden = try value.string() == "hidden"
            case "value": try value.appendString(to: &values)
            default: throw JSONReader.Malformed()
            }
          }
          if name.isEmpty { throw JSONReader.Malformed() }
          names.append((name, isHidden))
          ends.append(values.count)
        }
      }
    } catch { return }
    _ = entry.take(at: index)
    var start = 0
    for (field, end) in zip(names, ends) {
      values.withUnsafeBytes { bytes in
        let value = bytes.slice(start..<end)
        if field.isHidden {
          login.secretFields.addField(field.name, Secret(copying: value))
        } else {
          login.fields.append((field.name, ByteString(value)))
        }
      }
      start = end
    }
  }
}
