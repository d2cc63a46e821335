import Bytes
import Keychain

/// The parts of a KeePass entry in elements of their own.
enum KeePassElements {
  /// Adds an element to its entry. Those that KeePass and its programs make by themselves matter only to them.
  static func add(_ element: XMLElement, to entry: inout SourceEntry) {
    switch element.name {
    case "Times", "Tags": break
    case "Binary": entry.add("attachments", .part)
    case "History": if !element.children.isEmpty { entry.add("history", .part) }
    case "OverrideURL":
      if !element.text.isEmpty { entry.add(element.name, .xml(element), isPersons: true) }
    case "CustomData": addCustomData(element, to: &entry)
    case "AutoType": if !isDefault(element) { entry.add("auto-type", .part) }
    case "IconID": if element.string != "0" { addToProgram("icon", to: &entry) }
    case "UUID", "CustomIconUUID", "ForegroundColor", "BackgroundColor", "QualityCheck",
      "PreviousParentGroup":
      if !element.saysNothing { addToProgram(element.name, to: &entry) }
    default: if !element.saysNothing { entry.add(element.name, .part) }
    }
  }

  private static func addToProgram(_ name: ByteString, to entry: inout SourceEntry) {
    entry.add(name, .part)
    if let index = entry.indices(of: [name]).last { entry.leaveToProgram(at: index) }
  }

  /// Whether the entry has KeePass's default auto-type settings.
  private static func isDefault(_ autoType: XMLElement) -> Bool {
    autoType.children.allSatisfy { child in
      switch child.name {
      case "Enabled": child.saysNothing || child.string.isEqualIgnoringCase("true")
      case "DataTransferObfuscation": child.saysNothing || child.string == "0"
      default: child.saysNothing
      }
    }
  }

  // MARK: Custom data

  private static func addCustomData(_ element: XMLElement, to entry: inout SourceEntry) {
    var hasProgramData = false
    for item in element.children where !item.saysNothing {
      if isPersons(customData: item) {
        entry.add(ByteString("custom data \(item.string("Key"))"), .part)
      } else {
        hasProgramData = true
      }
    }
    if hasProgramData { addToProgram(element.name, to: &entry) }
  }

  /// Whether custom data is not KeePassXC's own: its settings, times, and the keys of browsers.
  static func isPersons(customData item: XMLElement) -> Bool {
    let key = item.string("Key")
    return !item.saysNothing && !programKeys.contains(key)
      && !programPrefixes.contains { key.bytes.starts(with: $0.utf8) }
  }

  /// KeePassXC's keys (2.8, `CustomData.cpp`, `BrowserService.cpp`).
  private static let programKeys: [ByteString] = [
    "_LAST_MODIFIED", "_CREATED", "KnownBad", "BrowserHideEntry", "BrowserSkipAutoSubmit",
    "BrowserOnlyHttpAuth",
    "BrowserNotHttpAuth", "BrowserOmitWww", "BrowserRestrictKey", "KeePassXC-Browser Settings",
    "KeePassHttp Settings",
  ]
  private static let programPrefixes = ["KPXC_", "FDO_SECRETS", "Public Key: "]

  // MARK: Groups

  /// Whether an element of a group has contents that no login has, and that KeePass doesn't make by itself.
  static func isPersons(ofGroup element: XMLElement) -> Bool {
    switch element.name {
    case "CustomData": element.children.contains(where: isPersons(customData:))
    case "UUID", "Name", "Entry", "Group", "Times", "IconID", "CustomIconUUID", "IsExpanded",
      "EnableAutoType",
      "EnableSearching", "LastTopVisibleEntry", "PreviousParentGroup":
      false
    default: !element.saysNothing
    }
  }
}

extension TakenEntry {
  /// Takes an entry's dates. An invalid one stays.
  mutating func takeTimes(of element: XMLElement) {
    guard let times = element.child("Times") else { return }
    for time in times.children where !time.saysNothing {
      switch time.name {
      case "CreationTime": login.creationDate = takeDate(time)
      case "LastModificationTime": login.modificationDate = takeDate(time)
      case "Expires":
        let isTrue = time.string.isEqualIgnoringCase("true")
        if isTrue, let expiry = times.child("ExpiryTime") {
          login.expiry = takeDate(expiry)
        } else if isTrue || !time.string.isEqualIgnoringCase("false") {
          entry.add(time.name, .part)
        }
      case "ExpiryTime", "LastAccessTime", "UsageCount", "LocationChanged": break
      default: entry.add(time.name, .part)
      }
    }
  }

  fileprivate mutating func takeDate(_ element: XMLElement) -> Timestamp? {
    let date = Self.date(element.string)
    if date == nil { entry.add(element.name, .part) }
    return date
  }

  /// A date: ISO 8601, or, since version 4 of the database, base64 of the seconds since the year 1 in eight bytes, the
  /// least significant first.
  private static func date(_ text: ByteString) -> Timestamp? {
    if let date = Timestamp(rfc3339: text.bytes) { return date }
    let bytes = Secret(copying: text).withUnsafeBytes { Secret(base64: $0) } ?? Secret()
    if bytes.count != 8 { return nil }
    let seconds = bytes.withUnsafeBytes { $0.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) } }
    // The years 1 to 9999.
    guard 0..<315_537_897_600 ~= seconds else { return nil }
    return Timestamp(seconds: seconds - 62_135_596_800)
  }
}

extension XMLElement {
  fileprivate var saysNothing: Bool {
    attributes.isEmpty && text.withUnsafeBytes { $0.allSatisfy { $0 <= 0x20 } }
      && children.allSatisfy(\.saysNothing)
  }
}
