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
    // pass takes a carriage return at the end of the line for a part of the password, and gopass doesn't; neither
    // keeps NUL.
    if contents[first.range].contains(where: { $0 == 0x0d || $0 == 0 }) {
      return found.passOver(origin, .disputed)
    }
    var properties = Properties(lines)
    let credential = Credential(Secret(copying: first.text))
    var item: Item
    if let service = properties.service, let key = GCMService.place(ofURL: service) {
      // An entry of Git Credential Manager; its name repeats the URL.
      var key = key
      key.account = properties.account.nonEmpty
      item = Item(key)
      properties.leave(service.leftBehind(besides: key.account))
    } else {
      if properties.service != nil { properties.leave("further lines") }
      let names = PassName(name)
      let place = properties.url.flatMap(Place.ofServer(in:)).map { ($0.place, $0.account) } ?? names.place
      var account = properties.account.nonEmpty
      if let place {
        account = account ?? place.1 ?? names.account
        item = Item(place.0.key(account: account, for: nil))
      } else {
        item = Item(GenericPassword(service: name, account: account))
      }
      properties.leave(properties.url?.leftBehind(besides: account))
      // The name of a generic password already contains it.
      if place != nil { item.label = name }
    }
    found.take(FoundLogin(item, credential, at: origin, leftBehind: properties.leftBehind))
  }

  /// The lines below the password.
  private struct Properties {
    var account: ByteString?
    var url: ByteString?
    /// Git Credential Manager's URL.
    var service: ByteString?
    var leftBehind: [String] = []

    private static let accountNames: [ByteString] = ["login", "username", "user"]
    private static let urlNames: [ByteString] = ["url", "uri", "link", "website", "site", "web"]
    private static let codeNames: [ByteString] = ["totp", "otpauth", "otp", "hotp"]

    /// The longest name of a line in bytes.
    private static let longestName = 16

    init(_ lines: FileLines) {
      for line in lines where !line.isBlank {
        let text = line.text.trimmedSlice
        // The line before gopass's YAML.
        if text == "---" { continue }
        // A line without a name may be confidential, and is not copied.
        guard let end = text.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
          end <= Self.longestName
        else {
          leave("further lines")
          continue
        }
        let name = ByteString(UnsafeRawBufferPointer(rebasing: text[..<end])).lowercased.trimmed
        let value = UnsafeRawBufferPointer(rebasing: text[(end + 1)...]).trimmedSlice
        let hasEquals = text[end] == UInt8(ascii: "=")
        if hasEquals, name == "service", service == nil {
          service = ByteString(value)
        } else if hasEquals, name == "account", service != nil, account == nil {
          account = ByteString(value)
        } else if Self.codeNames.contains(name) {
          leave("one-time code")
        } else if Self.accountNames.contains(name), account == nil {
          account = ByteString(value)
        } else if Self.urlNames.contains(name), url == nil {
          url = ByteString(value)
        } else {
          leave("further lines")
        }
      }
    }

    mutating func leave(_ what: String?) {
      if let what, !leftBehind.contains(what) { leftBehind.append(what) }
    }
  }
}

/// The name of an entry, with slashes between its parts.
private struct PassName {
  /// The server named by a part, and the account before its `@`.
  private(set) var place: (Place, ByteString?)?
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
      self.place = (place, nil)
      if index + 1 < parts.count { account = parts.last }
      return
    }
  }
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
