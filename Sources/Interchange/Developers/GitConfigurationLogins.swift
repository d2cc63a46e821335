import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The logins in git's configuration: passwords in the URLs of remotes, of `url.URL.insteadOf` and of proxies,
  /// headers of `http.URL.extraHeader`, and `sendemail.smtpPass` (git-config(1)). A URL stays without its password, so
  /// that git asks llavero for it.
  public static let gitConfiguration = FileFormat(
    "git-config", "the logins in git's configuration: URLs, headers, send-email",
    usualPaths: [
      "$GIT_CONFIG_GLOBAL", "~/.gitconfig", "$XDG_CONFIG_HOME/git/config", "~/.config/git/config",
    ],
    holdsLoginsAlone: false,
    looksLike: { shape in
      let names = [
        "core", "user", "credential", "sendemail", "url \"", "remote \"", "http \"", "credential \"",
      ]
      return shape.sections.contains { section in
        names.contains { $0.last == "\"" ? section.bytes.starts(with: $0.utf8) : section == ByteString($0) }
      }
    }
  ) { text throws(FormatFault) in
    let file: GitConfiguration
    do throws(GitConfiguration.Malformed) {
      file = try GitConfiguration(text)
    } catch {
      throw FormatFault("git can't read it", line: error.line)
    }
    var found = FoundLogins()
    for section in file.sections {
      guard let subsection = section.subsection else { continue }
      let line = 1 + text[..<section.range.lowerBound].count { $0 == 0x0a }
      found.takeURLs(in: subsection, of: text, line: line)
    }
    for entry in file.entries { found.take(entry, of: file, text) }
    return found
  }
}

extension FoundLogins {
  fileprivate mutating func take(
    _ entry: GitConfiguration.Entry, of file: GitConfiguration, _ text: UnsafeRawBufferPointer
  ) {
    guard let value = entry.value else { return }
    let section = entry.section.map { file.sections[$0] }
    var source = SourceEntry(at: .line(entry.line), removals: [entry.removal(in: text)])
    switch (section?.name, entry.key) {
    case ("http", "extraheader"):
      guard let section, case .some(let header) = GitConfiguration.value(of: entry, in: text) else { return }
      header.withUnsafeBytes {
        takeHeader($0, at: section.subsection.map { ByteString(text.slice($0)) }, of: &source)
      }
    case ("sendemail", "smtppass"):
      guard let section, case .some(let password) = GitConfiguration.value(of: entry, in: text) else {
        return
      }
      takeMail(password, section, of: file, text, source)
    case ("credential", "helper"):
      // A shell command that prints a password, or a variable.
      if value.contains(where: {
        text.begins(with: "password=", at: $0) && !text.begins(with: "password=$", at: $0)
      }) {
        passOver(source.origin, .malformed)
      }
    default:
      // A shell command may contain URLs, and its program asks nobody.
      let start = text[value].firstIndex { !isWhiteSpace($0) && $0 != UInt8(ascii: "\"") }
      let end = start.flatMap { text[$0..<value.upperBound].firstIndex { !$0.isOfScheme } }
      guard let end, text.begins(with: "://", at: end) else { return }
      takeURLs(in: value, of: text, line: entry.line)
    }
  }

  private mutating func takeHeader(
    _ header: UnsafeRawBufferPointer, at url: ByteString?, of entry: inout SourceEntry
  ) {
    let name = header.prefix { $0 != UInt8(ascii: ":") }
    guard ByteString(name.whole).lowercased == "authorization",
      name.endIndex < header.endIndex
    else { return passOver(entry.origin, .noLogin) }
    // The blank after the colon may be missing (RFC 9110, section 5.6.3).
    let parts = header[(name.endIndex + 1)...].split(maxSplits: 1) { $0 == 0x20 || $0 == 0x09 }
    guard parts.count == 2 else { return passOver(entry.origin, parts.isEmpty ? .noSecret : .malformed) }
    guard let (place, account) = url.flatMap({ try? Place.parse($0) }) else {
      return passOver(entry.origin, .noPlace)
    }
    let scheme = ByteString(parts[0].whole)
    let value = parts[1].whole.trimmedSlice
    guard scheme.lowercased == "basic" else {
      return take(
        Item(place.key(account: account.nonEmpty, for: nil)),
        Credential(Secret(copying: value), authenticationScheme: scheme), of: entry)
    }
    takeBasic(value, at: place, ifFor: account.nonEmpty, of: &entry)
  }

  private mutating func takeMail(
    _ password: borrowing Secret, _ section: GitConfiguration.Section, of file: GitConfiguration,
    _ text: UnsafeRawBufferPointer, _ source: borrowing SourceEntry
  ) {
    /// The last one counts; an identity's own before the general one.
    func value(_ key: ByteString) -> ByteString? {
      let entries = file.entries.filter { entry in
        entry.key == key && entry.section.map { file.sections[$0].name } == "sendemail"
      }
      func identity(_ entry: GitConfiguration.Entry) -> ByteString? {
        entry.section.flatMap { file.sections[$0].subsection }.map { ByteString(text.slice($0)) }
      }
      let own = section.subsection.map { ByteString(text.slice($0)) }
      let entry = entries.last { identity($0) == own } ?? entries.last { identity($0) == nil }
      return entry.flatMap { GitConfiguration.text(of: $0, in: text) }.nonEmpty
    }
    if password.isEmpty { return passOver(source.origin, .noSecret) }
    do throws(NoPlace) {
      let place = try Place(
        protocol: "smtp", server: value("smtpserver") ?? "", writtenPort: value("smtpserverport"))
      take(Item(place.key(account: value("smtpuser"), for: nil)), Credential(password.copy()), of: source)
    } catch {
      passOver(source.origin, error.reason)
    }
  }
}
