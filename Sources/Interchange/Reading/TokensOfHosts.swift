import Bytes
import CredentialProtocols
import Keychain

/// The hosts in a YAML file, each with the tokens of its accounts. Other values of a host stay in it.
struct TokensOfHosts {
  private let top: YAMLDocument.Path
  private let name: ByteString
  /// The account for a token without one.
  private let unknown: ByteString

  private static let refreshToken: ByteString = "oauth2_refresh_token"
  private static let expiry: ByteString = "oauth2_expiry_date"

  init(of top: YAMLDocument.Path, called name: ByteString, otherwise unknown: ByteString) {
    (self.top, self.name, self.unknown) = (top, name, unknown)
  }

  /// - Throws: ``FormatFault`` if a line has an unsupported form, in which a token might go on.
  func read(_ text: UnsafeRawBufferPointer, of program: String) throws(FormatFault) -> FoundLogins {
    let file = try YAMLDocument(text, of: program)
    var found = FoundLogins()
    for host in file.children(of: top) { read(host.path, in: file, text, &found) }
    return found
  }

  private func read(
    _ host: YAMLDocument.Path, in file: YAMLDocument, _ text: UnsafeRawBufferPointer,
    _ found: inout FoundLogins
  ) {
    if let user = user(at: host, in: file, text), let server = HostAndPort(parsing: host.last ?? "") {
      found.active.append(
        InternetPassword(
          protocol: "https", server: server.server.lowercased, port: server.port, account: user))
    }
    let entries = file.entries.filter { $0.path.starts(with: host) }
    let tokens = entries.filter { $0.path.last == name }
    // A token may be in YAML's other style.
    for other in entries where other.path.last != name && other.value.count > 2 {
      if text[other.value.lowerBound] == 0x7b || text[other.value.lowerBound] == 0x5b {
        found.passOver(.line(other.line), .malformed)
      }
    }
    for index in tokens.indices {
      take(tokens[index...], after: tokens[..<index], at: host, in: file, text, &found)
    }
  }

  /// Takes the first of the tokens, and the others that are the same login.
  private func take(
    _ tokens: ArraySlice<YAMLDocument.Entry>, after former: ArraySlice<YAMLDocument.Entry>,
    at host: YAMLDocument.Path, in file: YAMLDocument, _ text: UnsafeRawBufferPointer,
    _ found: inout FoundLogins
  ) {
    let token = tokens[tokens.startIndex]
    guard case .some(let secret) = YAMLDocument.scalar(token.value, in: text),
      let owner = account(of: token.path, at: host, in: file, text),
      let server = HostAndPort(parsing: host.last ?? ""), server.server.canBeServer
    else { return found.passOver(.line(token.line), .malformed) }
    if secret.isEmpty { return found.passOver(.line(token.line), .noSecret) }
    // The file may contain the same token of the same account twice; that is one login.
    func isSame(_ other: YAMLDocument.Entry) -> Bool {
      guard account(of: other.path, at: host, in: file, text) == owner,
        case .some(let theirs) = YAMLDocument.scalar(other.value, in: text)
      else { return false }
      return theirs.isEqual(to: secret)
    }
    if former.contains(where: isSame) { return }
    let renewal = file.entry(token.path.dropLast() + [Self.refreshToken]).flatMap {
      $0.value.isEmpty ? nil : $0
    }
    let key = InternetPassword(
      protocol: "https", server: server.server.lowercased, port: server.port, account: owner)
    let end = file.entry(token.path.dropLast() + [Self.expiry])
    let date = end.flatMap { YAMLDocument.text($0.value, in: text) }.flatMap(Timestamp.init(gitLab:))
    let going =
      tokens.filter(isSame) + [renewal, date == nil ? nil : end].compactMap { $0 }
    found.take(
      Item(key),
      Credential(
        secret.copy(), expiry: date?.seconds,
        refreshToken: renewal.flatMap { YAMLDocument.scalar($0.value, in: text) }),
      of: SourceEntry(at: .line(token.line), removals: going.map { $0.removal(in: text) }))
  }

  /// The account of a token; `nil` for a place where no program stores one.
  private func account(
    of token: YAMLDocument.Path, at host: YAMLDocument.Path, in file: YAMLDocument,
    _ text: UnsafeRawBufferPointer
  ) -> ByteString? {
    let path = token.dropFirst(host.count)
    if path.count == 3, path.first == "users" { return path.dropFirst().first }
    guard path.count == 1 || path.count == 2 && path.first?.bytes.first == UInt8(ascii: "#") else {
      return nil
    }
    return user(at: Array(token.dropLast()), in: file, text) ?? unknown
  }

  /// The account that the program uses at a host.
  private func user(
    at host: YAMLDocument.Path, in file: YAMLDocument, _ text: UnsafeRawBufferPointer
  ) -> ByteString? {
    file.entry(host + ["user"]).flatMap { YAMLDocument.text($0.value, in: text) }.nonEmpty
  }
}

extension Timestamp {
  /// A date in the form of GitLab's program, `03 Jan 27 15:04 UTC` (Go's `RFC822`), or RFC 3339. Other names of time
  /// zones are ambiguous.
  fileprivate init?(gitLab text: ByteString) {
    let parts = text.bytes.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 5 else {
      self.init(rfc3339: text.bytes)
      return
    }
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    guard let month = months.firstIndex(of: parts[1]), ["UTC", "GMT"].contains(parts[4]) else { return nil }
    let (day, number) = (parts[0].utf8.count < 2 ? "0\(parts[0])" : parts[0], month + 1)
    let year = parts[2].utf8.count == 2 ? "20\(parts[2])" : parts[2]
    self.init(rfc3339: Array("\(year)-\(number < 10 ? "0" : "")\(number)-\(day)T\(parts[3]):00Z".utf8))
  }
}

extension YAMLDocument {
  /// - Throws: ``FormatFault`` if the file isn't one that a program writes.
  init(_ text: UnsafeRawBufferPointer, of program: String) throws(FormatFault) {
    do throws(Malformed) {
      self = try YAMLDocument(text)
    } catch {
      throw FormatFault("it is not YAML that \(program) writes", line: error.line)
    }
  }
}
