import Bytes
import Keychain

extension FileFormat {
  /// The output of "Export", "KeePass XML (2.x)", in KeePass 2, and of `keepassxc-cli export`.
  static let keePassXML = FileFormat(
    "keepass", "the XML that KeePass 2 and KeePassXC export, or their database", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers,
    looksLike: { shape in
      shape.isXML("KeePassFile") || Wrapping.keePassDatabase.isOne(shape.bytes) ? .certain : .none
    }
  ) { text throws(FormatFault) in try KeePassXML.read(text) }.wrapped(in: .keePassDatabase)
}

/// KeePass's XML: groups in groups, with entries, whose fields are `String` elements with a key and a value. The bin is
/// the group that `Meta` names by its identifier.
final class KeePassXML: XMLElementReader {
  private var found = FoundLogins()
  private var bin: ByteString = ""
  private var isKeePass = false
  private let references: KeePassReferences

  private init(_ references: KeePassReferences) { self.references = references }

  /// Whether a file is one.
  static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
    text.first { $0 > 0x20 } == UInt8(ascii: "<")
  }

  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    let reader = KeePassXML(try KeePassReferences.read(text))
    try XMLFile.read(text, reader)
    guard reader.isKeePass else { throw FormatFault("it is not XML that KeePass exports") }
    return reader.found
  }

  func ended(_ element: XMLElement, in ancestors: [XMLElement]) -> Bool {
    switch (element.name, ancestors.last?.name) {
    case ("KeePassFile", nil):
      isKeePass = true
      return false
    case ("Meta", _):
      bin = element.string("RecycleBinUUID")
      return false
    case ("RecycleBinUUID", "Meta"): return true
    case ("Binary", "Binaries"):
      found.noteOthers()
      return false
    case ("CustomData", "Meta"), ("CustomData", "Group"):
      if element.children.contains(where: Self.isPersons) { found.noteOthers() }
      return false
    // What somebody wrote of the whole, or of a group, is no login's.
    case ("DatabaseDescription", "Meta"), ("DefaultUserName", "Meta"), ("Tags", "Group"):
      if !element.text.isEmpty { found.noteOthers() }
      return false
    case ("CustomIcons", "Meta"):
      if !element.children.isEmpty { found.noteOthers() }
      return false
    case (_, "Meta"), ("Data", _): return false
    case ("Entry", "Group"):
      read(element, in: ancestors.filter { $0.name == "Group" })
      return false
    case ("Group", _):
      // What somebody wrote of a group is no login's.
      if !element.string("Notes").isEmpty { found.noteOthers() }
      return false
    case (let name, "Group"): return ["UUID", "Name", "Notes"].contains(name)
    default: return true
    }
  }

  /// Whether custom data is not of KeePassXC's own: settings, times, and the keys of browsers.
  private static func isPersons(_ item: XMLElement) -> Bool {
    let key = item.string("Key").bytes
    return !key.isEmpty && !["KPXC_", "FDO_SECRETS", "_"].contains { key.starts(with: $0.utf8) }
  }

  private func read(_ element: XMLElement, in groups: [XMLElement]) {
    var entry = SourceEntry(at: .line(element.line), removals: [Removal(element.range)])
    var isProtected = false
    for child in element.children {
      switch child.name {
      case "String":
        guard let value = child.child("Value") else { continue }
        // In a file that a program made of a database without opening it.
        isProtected =
          isProtected || value.attributes.contains { $0.name == "Protected" && $0.value == "True" }
        let key = child.string("Key")
        let word = key.bytes.starts(with: Self.passkey) ? "passkey" : nil
        entry.add(key, .xml(value), partOf: word, isPersons: true)
      case "Times", "Tags": break
      case "Binary": entry.add("attachments", .part)
      case "History": if !child.children.isEmpty { entry.add("history", .part) }
      case "OverrideURL": if !child.text.isEmpty { entry.add(child.name, .xml(child), isPersons: true) }
      case "CustomData": if !child.children.isEmpty { addToProgram(child.name, to: &entry) }
      case "AutoType": if Self.isChanged(child) { addToProgram("auto-type", to: &entry) }
      case "IconID": if child.string != "0" { addToProgram("icon", to: &entry) }
      default: if !child.string.isEmpty { addToProgram(child.name, to: &entry) }
      }
    }
    let title = entry.text("Title")
    if !title.isEmpty { entry.origin = .entry(title) }
    if !bin.isEmpty, groups.contains(where: { $0.string("UUID") == bin }) {
      return found.passOver(entry.origin, .discarded)
    }
    if isProtected { return found.passOver(entry.origin, .undecipherable) }
    var login = LoginEntry()
    login.name = title
    take(element, in: groups, &login)
    take(&entry, &login, of: element)
  }

  /// How the names of KeePassXC's fields for a passkey begin.
  private static let passkey = Array("KPEX_PASSKEY".utf8)

  private func addToProgram(_ name: ByteString, to entry: inout SourceEntry) {
    entry.add(name, .part)
    entry.leaveToProgram(name)
  }

  /// Whether somebody has chosen how an entry is typed.
  private static func isChanged(_ autoType: XMLElement) -> Bool {
    !autoType.string("DefaultSequence").isEmpty
      || autoType.children.contains { $0.name == "Association" && !$0.string("Window").isEmpty }
  }

  /// Takes what is of the entry as a whole: its groups, tags and dates.
  private func take(_ element: XMLElement, in groups: [XMLElement], _ login: inout LoginEntry) {
    // The topmost group is the whole database.
    let path = groups.dropFirst().map { $0.string("Name").bytes }
    if !path.isEmpty { login.tags = [ByteString(Array(path.joined(separator: [UInt8(ascii: "/")])))] }
    let tags = element.string("Tags").bytes.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
    login.tags += tags.compactMap { ByteString(Array($0)).trimmed.nonEmpty }
    guard let times = element.child("Times") else { return }
    login.creationDate = Self.date(times.string("CreationTime"))
    login.modificationDate = Self.date(times.string("LastModificationTime"))
    if times.string("Expires") == "True" { login.expiry = Self.date(times.string("ExpiryTime")) }
  }

  private func take(
    _ entry: inout SourceEntry, _ login: inout LoginEntry, of element: XMLElement
  ) {
    var isWhole = true
    func resolved(_ name: ByteString, isSecret: Bool = false) -> Secret {
      let text = entry.secret(name)
      if !text.withUnsafeBytes(KeePassPlaceholders.areIn) { return text }
      let own = KeePassReferences.Entry(element)
      switch text.withUnsafeBytes({ references.resolve($0, of: own, isSecret: isSecret) }) {
      case .some(let text): return text.copy()
      case .none:
        isWhole = false
        return Secret()
      }
    }
    func text(_ name: ByteString) -> ByteString { resolved(name).withUnsafeBytes { ByteString($0) } }
    login.account = text("UserName")
    login.secret = resolved("Password", isSecret: true)
    login.addresses = [EntryAddress(text: text("URL"))]
    if !isWhole { return found.passOver(entry.origin, .reference) }
    login.comment = entry.text("Notes").nonEmpty
    KeePassCodes.take(of: &entry, &login)
    for index in entry.named { takeField(index, of: &entry, &login) }
    found.take(login, of: &entry)
  }

  private static let standard: [ByteString] = ["Title", "UserName", "Password", "URL", "Notes", "otp"]

  /// Takes a field that a person named, or one of KeePass2Android's and KeePassXC's for browsers.
  private func takeField(_ index: Int, of entry: inout SourceEntry, _ login: inout LoginEntry) {
    let name = entry.name(at: index)
    guard case .xml(let value)? = entry.peek(at: index), !name.bytes.starts(with: Self.passkey) else {
      return
    }
    if value.text.isEmpty {
      if !Self.standard.contains(name) { login.keep(nil, as: name, of: &entry, isHidden: false) }
    } else if name == "KeePassXC-Browser Settings" || name == "KeePassHttp Settings" {
      entry.leaveToProgram(at: index)
    } else if name.bytes.starts(with: "KP2A_URL".utf8) {
      login.addresses.append(EntryAddress(text: entry.text(at: index)))
    } else if name.bytes.starts(with: "AndroidApp".utf8) {
      login.addresses.append(.androidApp(entry.text(at: index)))
    } else {
      let isHidden = value.attributes.contains { $0.name == "ProtectInMemory" && $0.value == "True" }
      login.keep(index, as: name, of: &entry, isHidden: isHidden)
    }
  }

  /// A date: ISO 8601, or, since version 4 of the database, base64 of the seconds since the year 1 in eight bytes, the least
  /// significant first.
  private static func date(_ text: ByteString) -> Timestamp? {
    if let date = Timestamp(rfc3339: text.bytes) { return date }
    var bytes = Secret()
    guard text.bytes.withUnsafeBytes({ Base64.decode($0, to: &bytes) }), bytes.count == 8 else { return nil }
    let seconds = bytes.withUnsafeBytes { $0.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) } }
    return Timestamp(seconds: seconds - 62_135_596_800)
  }
}
