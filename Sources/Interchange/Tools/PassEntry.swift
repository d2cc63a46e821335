import Bytes
import CredentialProtocols
public import Keychain
import TextFormats

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
    // pass takes a carriage return at the end of the line for a part of the password, and gopass doesn't; neither
    // keeps NUL.
    if contents[first.range].contains(where: { $0 == 0x0d || $0 == 0 }) {
      return found.passOver(origin, .disputed)
    }
    guard isValidUTF8(first.text) else { return found.passOver(origin, .notText) }
    var entry = SourceEntry(at: origin)
    for line in lines where !line.isBlank { add(line, to: &entry) }
    var login = LoginEntry()
    login.secret = Secret(copying: first.text)
    if let service = entry.peek(at: entry.index(of: ["service"]))?.text,
      GCMService.place(ofURL: service) != nil
    {
      // An entry of Git Credential Manager; its name repeats the URL.
      login.addresses = [EntryAddress(text: entry.text("service"), rule: .path)]
      login.account = entry.text("account", "login")
    } else {
      let names = PassName(name)
      let url = entry.text("url")
      login.name = name
      login.addresses = [EntryAddress(text: url)]
      login.account = entry.text("login")
      let server = Place.ofServer(in: url)
      if server == nil, let place = names.place {
        login.addresses.append(EntryAddress(text: place.url, rule: .path))
      }
      if login.account.isEmpty, server?.account == nil, server != nil || names.place != nil {
        login.account = names.account ?? ""
      }
    }
    found.take(login, of: &entry)
  }

  private static let accountNames: [ByteString] = ["login", "username", "user"]
  private static let urlNames: [ByteString] = ["url", "uri", "link", "website", "site", "web"]
  private static let codeNames: [ByteString] = ["totp", "otpauth", "otp", "hotp"]

  /// The longest name of a line in bytes.
  private static let longestName = 16

  /// Adds a line below the password.
  private static func add(_ line: FileLine, to entry: inout SourceEntry) {
    let text = line.text.trimmedSlice
    // The line before gopass's YAML.
    if text == "---" { return }
    // A line without a name may be confidential, and is not shown.
    let end = text.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") } ?? text.endIndex
    guard end < text.endIndex, end <= longestName else { return entry.add("further lines", .bytes(text)) }
    let name = ByteString(UnsafeRawBufferPointer(rebasing: text[..<end])).lowercased.trimmed
    let value = FieldValue.bytes(UnsafeRawBufferPointer(rebasing: text[(end + 1)...]).trimmedSlice)
    if codeNames.contains(name) {
      entry.add("otp", value)
    } else if accountNames.contains(name) {
      entry.add("login", value)
    } else if urlNames.contains(name) {
      entry.add("url", value)
    } else if text[end] == UInt8(ascii: "="), name == "service" || name == "account" {
      entry.add(name, value)
    } else {
      entry.add("further lines", .bytes(text))
    }
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
