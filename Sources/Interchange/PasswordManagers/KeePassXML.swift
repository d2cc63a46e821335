import Bytes
import Keychain

extension FileFormat {
  /// The output of "Export", "KeePass XML (2.x)", in KeePass 2, and of `keepassxc-cli export`.
  static let keePassXML = FileFormat(
    "keepass", "the XML that KeePass 2 and KeePassXC export, or their database", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers,
    looksLike: { shape in
      shape.isXML("KeePassFile") || Wrapping.keePassDatabase.isOne(shape.bytes)
    }
  ) { text throws(FormatFault) in try KeePassXML.read(text) }.wrapped(in: .keePassDatabase)
}

/// KeePass's XML: nested groups with entries, whose fields are `String` elements with a key and a value. The bin is the
/// group identified in `Meta`.
final class KeePassXML: XMLElementReader {
  private var found = FoundLogins()
  private var bin: ByteString
  /// Whether there were entries before the bin was known.
  private var isBinLate = false
  private var hasEntries = false
  private var isKeePass = false
  private let references: KeePassReferences

  private init(_ references: KeePassReferences, bin: ByteString = "") {
    self.references = references
    self.bin = bin
  }

  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    var reader = KeePassXML(try KeePassReferences.read(text))
    try XMLFile.read(text, reader)
    if reader.isBinLate {
      reader = KeePassXML(reader.references, bin: reader.bin)
      try XMLFile.read(text, reader)
    }
    guard reader.isKeePass else { throw FormatFault("it is not XML that KeePass exports") }
    return reader.found
  }

  func ended(_ element: XMLElement, in ancestors: [XMLElement]) -> Bool {
    if ancestors.contains(where: { $0.name == "Entry" }) { return true }
    switch (element.name, ancestors.last?.name) {
    case ("KeePassFile", nil):
      isKeePass = true
      return false
    case ("Meta", _):
      let known = element.string("RecycleBinUUID")
      isBinLate = hasEntries && known != bin
      bin = known
      return false
    case ("RecycleBinUUID", "Meta"): return true
    case ("Binary", "Binaries"):
      found.noteOthers()
      return false
    case ("CustomData", "Meta"):
      if element.children.contains(where: KeePassElements.isPersons(customData:)) { found.noteOthers() }
      return false
    // A description of the database is no login's.
    case ("DatabaseDescription", "Meta"), ("DefaultUserName", "Meta"):
      if !element.text.isEmpty { found.noteOthers() }
      return false
    case ("CustomIcons", "Meta"):
      if !element.children.isEmpty { found.noteOthers() }
      return false
    case (_, "Meta"), ("Data", _): return false
    case ("Entry", "Group"):
      hasEntries = true
      read(element, in: ancestors.filter { $0.name == "Group" })
      return false
    case ("Group", _): return false
    case (let name, "Group"):
      // Nor is a description of a group.
      if KeePassElements.isPersons(ofGroup: element) { found.noteOthers() }
      return name == "UUID" || name == "Name"
    default: return true
    }
  }

  private func read(_ element: XMLElement, in groups: [XMLElement]) {
    var entry = SourceEntry(at: .line(element.line), removals: [Removal(element.range)])
    var isProtected = false
    for child in element.children where child.name == "String" {
      guard let value = child.child("Value") else { continue }
      // In a file made from a database without opening it.
      isProtected = isProtected || value.attribute("Protected") == "True"
      let key = child.string("Key")
      let word = key.bytes.starts(with: Self.passkey) ? "passkey" : nil
      entry.add(key, .xml(value), partOf: word, isPersons: true)
    }
    for child in element.children where child.name != "String" { KeePassElements.add(child, to: &entry) }
    let title = entry.peek(at: entry.index(of: ["Title"]))?.text ?? ""
    if !title.isEmpty { entry.origin = .entry(title) }
    if !bin.isEmpty, groups.contains(where: { $0.string("UUID") == bin }) {
      return found.passOver(entry.origin, .discarded)
    }
    if isProtected { return found.passOver(entry.origin, .undecipherable) }
    var taken = TakenEntry(entry)
    taken.takeTags(of: element, in: groups)
    taken.takeTimes(of: element)
    taken.take(element, references, &found)
  }

  /// The beginning of the names of KeePassXC's fields for a passkey.
  fileprivate static let passkey = Array("KPEX_PASSKEY".utf8)
}

extension TakenEntry {
  fileprivate mutating func takeTags(of element: XMLElement, in groups: [XMLElement]) {
    // The topmost group is the whole database.
    let path = groups.dropFirst().map { $0.string("Name").bytes }
    if !path.isEmpty { login.tags = [ByteString(Array(path.joined(separator: [UInt8(ascii: "/")])))] }
    let tags = element.string("Tags").bytes.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
    login.tags += tags.compactMap { ByteString(Array($0)).trimmed.nonEmpty }
  }

  fileprivate mutating func take(
    _ element: XMLElement, _ references: KeePassReferences, _ found: inout FoundLogins
  ) {
    guard
      case .some(let account) = references.take("UserName", of: &entry, element),
      case .some(let secret) = references.take("Password", of: &entry, element, isSecret: true),
      case .some(let url) = references.take("URL", of: &entry, element)
    else { return found.passOver(entry.origin, .reference) }
    login.account = ByteString(account)
    login.secret = secret
    login.addresses = [EntryAddress(text: ByteString(url))]
    login.name = text("Title", of: element, references)
    login.comment = text("Notes", of: element, references).nonEmpty
    takeKeePassCodes()
    for index in entry.named { takeField(index, of: element, references) }
    found.take(login, of: &entry)
  }

  /// Takes text for people, where only references count as words in braces.
  private mutating func text(_ name: ByteString, of element: XMLElement, _ references: KeePassReferences)
    -> ByteString
  {
    let text = references.take(
      at: entry.index(of: [name]), of: &entry, element, where: KeePassPlaceholders.areReferences)
    return ByteString(text) ?? ""
  }

  private static let standard: [ByteString] = ["Title", "UserName", "Password", "URL", "Notes", "otp"]

  /// Takes a person's own field, or one of KeePass2Android's and KeePassXC's for browsers.
  private mutating func takeField(_ index: Int, of element: XMLElement, _ references: KeePassReferences) {
    let name = entry.name(at: index)
    guard case .xml(let value)? = entry.peek(at: index), !name.bytes.starts(with: KeePassXML.passkey) else {
      return
    }
    if value.text.isEmpty {
      if !Self.standard.contains(name) { keep(nil, as: name, isHidden: false) }
    } else if name == "KeePassXC-Browser Settings" || name == "KeePassHttp Settings" {
      entry.leaveToProgram(at: index)
    } else if name.bytes.starts(with: "KP2A_URL".utf8) {
      guard case .some(let url) = references.take(at: index, of: &entry, element) else { return }
      login.addresses.append(EntryAddress(text: ByteString(url)))
    } else if name.bytes.starts(with: "AndroidApp".utf8) {
      login.addresses.append(.androidApp(entry.text(at: index)))
    } else {
      let isHidden = value.attribute("ProtectInMemory") == "True" || KeePassCodes.isSecret(name)
      guard
        case .some(let text) = references.take(
          at: index, of: &entry, element, isSecret: isHidden, where: KeePassPlaceholders.areReferences)
      else { return }
      if isHidden {
        login.secretFields.addField(name, text)
      } else {
        login.fields.append((name.nonEmpty ?? "field", ByteString(text)))
      }
    }
  }
}
