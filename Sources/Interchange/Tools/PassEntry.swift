import Bytes
import CredentialProtocols
public import Keychain

/// An entry of a `pass` or gopass store, whose first line is the password. The rest of it and its name follow
/// conventions: those of browserpass, gopass and Git Credential Manager are understood.
public enum PassEntry {
  /// Adds an entry, or skips it.
  ///
  /// - Parameters:
  ///   - name: its path in the store: `web/github.com/alice`.
  ///   - contents: its decrypted contents.
  public static func read(
    _ name: ByteString, _ contents: UnsafeRawBufferPointer, into found: inout FoundLogins
  ) {
    let origin = Origin.entry(name)
    var lines = FileLines(contents)
    guard let first = lines.next(), !first.text.isEmpty else { return found.passOver(origin, .noSecret) }
    // pass reads a carriage return at the end of the line as part of the password, and gopass doesn't; neither keeps
    // NUL.
    if contents[first.range].contains(where: { $0 == 0x0d || $0 == 0 }) {
      return found.passOver(origin, .disputed)
    }
    guard isValidUTF8(first.text) else { return found.passOver(origin, .notText) }
    // A key takes the whole entry.
    if first.text.starts(with: "-----BEGIN ") { return found.passOver(origin, .noLogin) }
    var entry = SourceEntry(at: origin)
    var notes = PassNotes()
    var rest = Array(lines)[...]
    while let line = rest.popFirst() {
      let below = rest.prefix { $0.text.first.map(isWhiteSpace) ?? false && !$0.isBlank }
      if let last = below.last, let name = blockName(line.text) {
        let block = contents.slice(line.range.upperBound..<last.range.lowerBound + last.text.count)
        entry.add(name, .bytes(block), isPersons: true)
        rest = rest[below.endIndex...]
      } else {
        add(line, to: &entry, &notes)
      }
    }
    var taken = TakenEntry(entry)
    taken.login.comment = notes.text
    taken.takePass(name, first.text, &found)
  }

  /// The name of a line with an indented block below it, as in gopass's YAML; `nil` if there is none. Separated, nobody
  /// could tell which of its lines belong together.
  private static func blockName(_ line: UnsafeRawBufferPointer) -> ByteString? {
    let text = line.trimmedSlice
    guard text.last == UInt8(ascii: ":"), 2...longestName ~= text.count, isValidUTF8(text) else { return nil }
    let name = ByteString(text.slice(0..<text.count - 1)).trimmed
    return isKnown(name) ? nil : name.nonEmpty
  }

  private static let accountNames: [ByteString] = ["login", "username", "user"]
  private static let urlNames: [ByteString] = ["url", "uri", "link", "website", "site", "web"]
  private static let codeNames: [ByteString] = ["totp", "otpauth", "otp", "hotp"]
  private static let noteNames: [ByteString] = ["note", "notes", "comment", "comments"]
  fileprivate static let codeMark = Array("otpauth://".utf8)

  /// The longest name of a line in bytes.
  private static let longestName = 64

  /// Adds a line below the password.
  private static func add(_ line: FileLine, to entry: inout SourceEntry, _ notes: inout PassNotes) {
    let text = line.text.trimmedSlice
    // The line before gopass's YAML. After notes, it may be a person's.
    if text == "---", notes.text == nil { return }
    guard isValidUTF8(text) else { return entry.add("further lines", .bytes(text)) }
    if text.starts(with: codeMark) { return entry.add("otp", .bytes(text)) }
    guard let (original, separator, whole) = parts(of: line.text) else { return notes.append(line.text) }
    let name = original.lowercased
    let value = FieldValue.bytes(whole.trimmedSlice)
    if codeNames.contains(name) {
      entry.add("otp", value)
    } else if accountNames.contains(name) {
      // Further ones are ordinary fields.
      let isFirst = entry.index(of: ["login"]) == nil
      entry.add(isFirst ? "login" : original, value, isPersons: !isFirst)
    } else if urlNames.contains(name) {
      entry.add("url", value)
    } else if separator == UInt8(ascii: "=") {
      guard name == "service" || name == "account" else { return notes.append(line.text) }
      entry.add(ByteString(name.bytes + [separator]), value, isPersons: true)
    } else if noteNames.contains(name) {
      notes.append(whole.trimmedSlice)
    } else {
      entry.add(original, .bytes(whole), isPersons: true)
    }
  }

  private static func isKnown(_ name: ByteString) -> Bool {
    (accountNames + urlNames + codeNames).contains(name.lowercased)
  }

  /// The name of a line, the text after it, and its value with everything after that; `nil` if it has none, or is a
  /// URL.
  private static func parts(
    of line: UnsafeRawBufferPointer
  ) -> (ByteString, UInt8, UnsafeRawBufferPointer)? {
    let text = line.drop(while: isWhiteSpace).whole
    guard let end = text.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
      1...longestName ~= end
    else { return nil }
    let value = text.slice((end + 1)...)
    let name = ByteString(text.slice(..<end)).trimmed
    if value.trimmedSlice.isEmpty { return nil }
    if text[end] == UInt8(ascii: ":"), !isKnown(name), value[0] != 0x20, value[0] != 0x09 { return nil }
    return (name, text[end], value.drop(while: isWhiteSpace).whole)
  }
}

extension TakenEntry {
  fileprivate mutating func takePass(
    _ name: ByteString, _ first: UnsafeRawBufferPointer, _ found: inout FoundLogins
  ) {
    // pass-otp may keep a code in an entry of its own.
    if first.starts(with: PassEntry.codeMark) {
      login.keepCode(Secret(copying: first), as: "")
    } else {
      login.secret = Secret(copying: first)
    }
    if let service = entry.peek(at: entry.index(of: ["service="]))?.text,
      GCMService.login(at: service, account: nil) != nil
    {
      if GCMService.isOfRefreshToken(service) { return found.passOver(entry.origin, .renewed) }
      // An entry of Git Credential Manager; its name repeats the URL.
      login.addresses = [EntryAddress(text: entry.text("service="), rule: .path)]
      login.account = entry.text("account=", "login")
    } else {
      takePlace(of: name)
    }
    takeCodes()
    takeOthers()
    found.take(login, of: &entry)
  }

  fileprivate mutating func takePlace(of name: ByteString) {
    let names = PassName(name)
    let url = entry.text("url")
    login.name = name
    login.addresses = [EntryAddress(text: url)]
    while let other = entry.index(of: ["url"]) {
      login.addresses.append(EntryAddress(text: entry.text(at: other)))
    }
    login.account = entry.text("login")
    let server = Place.ofServer(in: url)
    if server == nil, let place = names.place {
      login.addresses.append(EntryAddress(text: place.url, rule: .path))
    }
    if login.account.isEmpty, server?.account == nil, server != nil || names.place != nil {
      login.account = names.account ?? ""
    }
  }

  /// Takes codes: an `otpauth:` URL on a line of its own or after a name (pass-otp(1), gopass's `totp:`), or the lines
  /// `otp_secret:`, `otp_type:` and so on of Pass for iOS.
  fileprivate mutating func takeCodes() {
    while let index = entry.index(of: ["otp"]) { login.keepCode(entry.secret(at: index), as: "") }
    let secret = entry.index(of: ["otp_secret"])
    guard secret != nil else { return }
    var code = OneTimeCodeParts(secret: entry.secret(at: secret))
    if let kind = entry.text("otp_type").lowercased.nonEmpty { code.kind = kind }
    code.algorithm = entry.text("otp_algorithm")
    code.digits = entry.text("otp_digits")
    code.period = entry.text("otp_period")
    code.counter = entry.text("otp_counter")
    login.keepCode(code.url, as: "otp_secret")
  }

  /// Keeps the rest as hidden fields, because it may be confidential.
  fileprivate mutating func takeOthers() {
    for index in entry.named {
      let name = entry.name(at: index).bytes.prefix { $0 != UInt8(ascii: "=") }
      keep(index, as: ByteString(Array(name)), isHidden: true)
    }
  }
}

/// The lines of an entry that have no name.
private struct PassNotes {
  private var bytes: [UInt8] = []

  mutating func append(_ line: UnsafeRawBufferPointer) {
    // An empty line separates others.
    if !bytes.isEmpty { bytes.append(0x0a) }
    bytes += line
  }

  /// All of them; `nil` if there are none.
  var text: ByteString? {
    var end = bytes.endIndex
    while end > 0, [0x0a, 0x0d, 0x20, 0x09].contains(bytes[end - 1]) { end -= 1 }
    return ByteString(Array(bytes[..<end])).nonEmpty
  }
}

/// The name of an entry, with slashes between its parts.
private struct PassName {
  /// The server named by a part.
  private(set) var place: Place?
  /// The part after the server.
  private(set) var account: ByteString?

  /// Protocols that may be folders above their servers.
  private static let protocols: [ByteString] = [
    "https", "http", "ssh", "sftp", "ftp", "ftps", "smtp", "smtps", "imap", "imaps", "pop3", "pop3s", "ldap",
    "ldaps",
  ]

  init(_ name: ByteString) {
    let parts = name.bytes.split(separator: UInt8(ascii: "/")).map { ByteString(Array($0)) }
    // The first one, because user names after it may have dots, too.
    for (index, part) in parts.enumerated() where part.isDomainName {
      guard let (server, _) = Place.ofServer(in: part) else { continue }
      var place = server
      if index > 0, Self.protocols.contains(parts[index - 1]) {
        place = Place(protocol: parts[index - 1], server: server.server, port: server.port)
      }
      self.place = place
      if index + 1 < parts.count { account = parts.last }
      return
    }
  }
}

extension Place {
  /// The server as an address.
  fileprivate var url: ByteString { ByteString(`protocol`.bytes + Array("://".utf8) + hostAndPort.bytes) }
}

extension ByteString {
  /// Whether it has a dot, and ends like a host name or is an address of four numbers; a port may follow.
  fileprivate var isDomainName: Bool {
    let name = bytes.prefix { $0 != UInt8(ascii: ":") }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count > 1, let last = labels.last, labels.allSatisfy({ !$0.isEmpty }) else { return false }
    let isLetters = last.count > 1 && last.allSatisfy { 0x61...0x7a ~= $0 | 0x20 || $0 >= 0x80 }
    let isAddress = labels.count == 4 && labels.allSatisfy { $0.allSatisfy { 0x30...0x39 ~= $0 } }
    return isLetters || isAddress || last.starts(with: "xn--".utf8)
  }
}
