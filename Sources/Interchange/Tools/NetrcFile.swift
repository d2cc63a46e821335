import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// A netrc file: words separated by white space (everything.curl.dev, "netrc"; the GNU inetutils manual, "The .netrc
  /// file").
  ///
  /// curl, git's helper `netrc`, Python and wget read backslashes, quotes and comments differently. An entry with a
  /// word that two of them read differently is skipped, because it isn't known for which of them it was written.
  public static let netrc = FileFormat(
    "netrc", "a netrc or authinfo file of curl, Python, git and others",
    usualPaths: ["$NETRC", "~/.netrc", "~/.authinfo"], holdsLoginsAlone: false,
    looksLike: { shape in
      shape.hasLine { $0.starts(with: "machine ".utf8) || $0.starts(with: "machine\t".utf8) }
    }
  ) { text throws(FormatFault) in
    var reader = NetrcReader(text)
    return reader.read()
  }
}

private struct NetrcWord {
  /// The word as written, with its quotes.
  let raw: UnsafeRawBufferPointer
  let range: Range<Int>
  let line: Int
  let isWhole: Bool
  /// Whether white space follows its quotes.
  let isApart: Bool

  private var isQuoted: Bool { raw.first == NetrcReader.quote }

  /// Whether curl 7.84, git 2.39, Python 3.11, wget 1.21 and all later versions read the same value.
  ///
  /// Outside quotes, only curl keeps a backslash. In quotes, curl turns `\n` into a line feed, and git's helper ends at
  /// the first quote; two backslashes are one for all of them. For curl and wget, a `#` before a word begins a comment.
  /// Some treat control characters as white space, and others don't.
  ///
  /// - Parameter isForCurlAndPython: whether only these two must agree, which also accept a backslash before a quote in
  ///   quotes.
  func isAgreed(isForCurlAndPython: Bool) -> Bool {
    if raw.contains(where: { $0 < 0x20 && $0 != 0x09 }) { return false }
    if !isQuoted { return raw.first != UInt8(ascii: "#") && !raw.contains(NetrcReader.backslash) }
    var index = 1
    while index < raw.count {
      if raw[index] == NetrcReader.backslash {
        guard index + 1 < raw.count,
          raw[index + 1] == NetrcReader.backslash || isForCurlAndPython && raw[index + 1] == NetrcReader.quote
        else { return false }
        index += 1
      }
      index += 1
    }
    return isApart
  }

  /// The value. In quotes, two backslashes are one.
  var secret: Secret {
    if !isQuoted { return Secret(copying: raw) }
    var secret = Secret(capacity: raw.count)
    var index = 1
    while index < raw.count, raw[index] != NetrcReader.quote {
      if raw[index] == NetrcReader.backslash, index + 1 < raw.count { index += 1 }
      secret.append(raw[index])
      index += 1
    }
    return secret
  }

  var text: ByteString { ByteString(secret) }

  /// The keyword that begins an entry or names a property in at least one program. curl also accepts capital letters.
  var keyword: ByteString? {
    guard raw.count <= 8 else { return nil }
    let word = text.lowercased
    return NetrcReader.keywords.contains(word) ? word : nil
  }
}

/// The entry after a `machine`.
private struct NetrcEntry: ~Copyable {
  let line: Int
  /// `nil` for the entry for all other hosts.
  var machine: ByteString?
  var account: ByteString?
  var secret: Secret?
  var port: ByteString?
  var `protocol`: ByteString?
  var path: ByteString?
  /// Its other words.
  var others: [(name: ByteString, value: FieldValue)] = []
  var isMalformed = false
  /// Whether programs read it differently.
  var isDisputed = false
  /// Whether it has ended for some programs, because of a macro, or of a comment that git's helper takes for an
  /// entry.
  var isOver = false
  /// The ranges of its words, one for each line.
  var ranges: [Range<Int>] = []

  init(line: Int) { self.line = line }
}

private struct NetrcReader: ~Copyable {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")

  static let keywords: [ByteString] = [
    "machine", "default", "macdef", "login", "user", "username", "password", "passwd", "account", "port",
    "protocol", "path",
  ]

  private let file: UnsafeRawBufferPointer
  /// Whether 'llavero export' has written it, for curl and Python.
  private let isOwn: Bool
  private var position = 0
  private var line = 1
  private var found = FoundLogins()

  init(_ file: UnsafeRawBufferPointer) {
    self.file = file
    isOwn = NetrcText.isExport(file)
  }

  mutating func read() -> FoundLogins {
    var entry: NetrcEntry?
    while let word = nextWord() {
      if word.raw.first == UInt8(ascii: "#") {
        let (first, comment) = keywordOfComment(word)
        if var open = entry.take() {
          // Our own export's comment after a login.
          if isOwn, let name = NetrcText.protocol(inComment: comment) {
            open.protocol = open.protocol ?? name
          }
          if first == "machine" || first == "default" {
            open.isOver = true
          } else if first != nil {
            open.isDisputed = true
          }
          entry = .some(open)
        }
        continue
      }
      if word.raw == "machine" || word.raw == "default" {
        if let ended = entry.take() { finish(ended) }
        var next = NetrcEntry(line: word.line)
        add(word, to: &next)
        if word.raw == "machine" {
          if let host = nextWord() {
            add(host, to: &next)
            next.machine = host.text
            if host.keyword != nil, !isOwn { next.isDisputed = true }
          } else {
            next.isMalformed = true
          }
        }
        entry = .some(next)
      } else if word.raw == "macdef" {
        skipMacro()
        if var open = entry.take() {
          open.others.append(("macro", .part))
          open.isOver = true
          entry = .some(open)
        }
      } else if var open = entry.take() {
        take(word, &open)
        entry = .some(open)
      } else {
        found.passOver(.line(word.line), .malformed)
        skipLine()
      }
    }
    if let ended = entry.take() { finish(ended) }
    return found
  }

  /// Takes a property of an entry, and its value. Words of other programs, such as Emacs' `force yes`, have no room in
  /// an item.
  private mutating func take(_ name: NetrcWord, _ entry: inout NetrcEntry) {
    add(name, to: &entry)
    // The word may be part of a password.
    guard let keyword = name.keyword else { return entry.others.append(("other words", .bytes(name.raw))) }
    // Only some programs accept it in capital letters or in quotes.
    if ByteString(name.raw) != keyword || entry.isOver { entry.isDisputed = true }
    guard let value = nextWord() else { return entry.isMalformed = true }
    add(value, to: &entry)
    // A program that doesn't know the property reads its value as a property. curl and Python know those of our own
    // export.
    if value.keyword != nil, !isOwn { entry.isDisputed = true }
    switch keyword {
    case "login", "user", "username": Self.set(&entry.account, to: value, &entry.isDisputed)
    case "password", "passwd":
      switch entry.secret {
      case .some(let former): if !former.isEqual(to: value.secret) { entry.isDisputed = true }
      case .none: break
      }
      entry.secret = .some(value.secret)
    case "account": entry.others.append(("account password", .bytes(value.raw)))
    case "port": Self.set(&entry.port, to: value, &entry.isDisputed)
    case "protocol": Self.set(&entry.protocol, to: value, &entry.isDisputed)
    case "path": Self.set(&entry.path, to: value, &entry.isDisputed)
    default: entry.isDisputed = true
    }
  }

  /// Sets a property. If it is set twice, some programs take the first value and others the last.
  private static func set(_ property: inout ByteString?, to value: NetrcWord, _ isDisputed: inout Bool) {
    if let property, property != value.text { isDisputed = true }
    property = value.text
  }

  private mutating func finish(_ entry: consuming NetrcEntry) {
    let origin = Origin.line(entry.line)
    if entry.isMalformed { return found.passOver(origin, .malformed) }
    guard let machine = entry.machine else { return found.passOver(origin, .noPlace) }
    if entry.isDisputed { return found.passOver(.machine(machine, line: entry.line), .disputed) }
    // In our own export, it is git's empty password.
    guard case .some(let secret) = entry.secret, isOwn || !secret.isEmpty else {
      return found.passOver(origin, .noSecret)
    }
    // An address of IPv6 needs no brackets, because there is no port.
    let named = HostAndPort(parsing: machine) ?? HostAndPort(parsing: ByteString("[\(machine)]"))
    guard let host = named, host.server.canBeServer,
      let service = Service(port: entry.port, protocol: entry.protocol)
    else { return found.passOver(origin, .malformed) }
    let place = Place(
      protocol: service.protocol, server: host.server, port: service.port ?? host.port, path: entry.path)
    var fields = SourceEntry(
      at: .machine(machine, line: entry.line), removals: entry.ranges.map { Removal(wholeLine($0)) })
    for (name, value) in entry.others { fields.add(name, value) }
    found.take(Item(place.key(account: entry.account, for: nil)), Credential(secret.copy()), of: fields)
  }

  /// The range of a line's words, extended to the whole line if only a comment is left on it. Python refuses a file in
  /// which the comment has a line of its own after an empty one.
  private func wholeLine(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    while start > 0, Self.isBlank(file[start - 1]) { start -= 1 }
    var end = range.upperBound
    while end < file.count, Self.isBlank(file[end]) || file[end] == 0x0d { end += 1 }
    guard start == 0 || file[start - 1] == 0x0a else { return range }
    if end < file.count, end > range.upperBound, file[end] == UInt8(ascii: "#") {
      while end < file.count, file[end] != 0x0a { end += 1 }
    }
    if end == file.count { return start..<end }
    return file[end] == 0x0a ? start..<end + 1 : range
  }

  private func add(_ word: NetrcWord, to entry: inout NetrcEntry) {
    if !word.isWhole { entry.isMalformed = true }
    if !word.isAgreed(isForCurlAndPython: isOwn) { entry.isDisputed = true }
    // After another word's quotes, only some programs begin a new one.
    if word.range.lowerBound > 0, !isSpace(at: word.range.lowerBound - 1) { entry.isDisputed = true }
    if let last = entry.ranges.last, !file[last.upperBound..<word.range.lowerBound].contains(0x0a) {
      entry.ranges[entry.ranges.count - 1] = last.lowerBound..<word.range.upperBound
    } else {
      entry.ranges.append(word.range)
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether it is white space for every program.
  private func isSpace(at index: Int) -> Bool {
    if file[index] == 0x0d { return index + 1 == file.count || file[index + 1] == 0x0a }
    return Self.isBlank(file[index]) || file[index] == 0x0a
  }

  private mutating func nextWord() -> NetrcWord? {
    while position < file.count, isSpace(at: position) {
      if file[position] == 0x0a { line += 1 }
      position += 1
    }
    guard position < file.count else { return nil }
    let start = position
    let isQuoted = file[position] == Self.quote
    var isWhole = !isQuoted
    if isQuoted { position += 1 }
    // Quotes end with their line, so that a missing one affects only that line.
    while position < file.count, isQuoted ? file[position] != 0x0a : !isSpace(at: position) {
      if isQuoted, file[position] == Self.quote {
        isWhole = true
        position += 1
        break
      }
      if isQuoted, file[position] == Self.backslash, position + 1 < file.count, file[position + 1] != 0x0a {
        position += 1
      }
      position += 1
    }
    return NetrcWord(
      raw: file.slice(start..<position), range: start..<position, line: line,
      isWhole: isWhole, isApart: position == file.count || isSpace(at: position))
  }

  /// Skips the comment that begins with a word. Returns the first keyword in it, which git's helper would interpret,
  /// and the comment.
  private mutating func keywordOfComment(_ word: NetrcWord) -> (
    keyword: ByteString?, comment: UnsafeRawBufferPointer
  ) {
    position = word.range.lowerBound
    let start = position
    skipLine()
    let comment = file.slice(start..<position)
    for part in comment.split(whereSeparator: { $0 <= 0x20 }) {
      let text = ByteString(part.whole)
      if Self.keywords.contains(text) { return (text, comment) }
    }
    return (nil, comment)
  }

  private mutating func skipLine() {
    while position < file.count, file[position] != 0x0a { position += 1 }
  }

  /// A macro ends with an empty line.
  private mutating func skipMacro() {
    skipLine()
    while position < file.count {
      position += 1
      line += 1
      let start = position
      skipLine()
      if file[start..<position].allSatisfy({ $0 == 0x0d }) { return }
    }
  }
}

/// The service of a login's server.
private struct Service {
  let `protocol`: ByteString
  let port: UInt16?

  /// Names of services that differ from the schemes of URLs.
  private static let aliases: [(name: ByteString, protocol: ByteString, port: UInt16?)] = [
    ("submission", "smtp", 587), ("submissions", "smtps", nil), ("pop", "pop3", nil), ("imap2", "imap", nil),
    ("imap4", "imap", nil),
  ]
  private static let known: [ByteString] = [
    "https", "http", "ssh", "ftp", "ftps", "smtp", "smtps", "imap", "imaps", "pop3", "pop3s", "ldap", "ldaps",
  ]

  /// - Parameters:
  ///   - port: a number or, in git's dialect, the name of a protocol: mail programs use `port imaps` and `port 993`.
  ///   - protocol: the name of the protocol.
  init?(port: ByteString?, protocol: ByteString?) {
    var name = `protocol`?.lowercased
    var number: UInt16?
    if let port {
      let isNumber = port.bytes.allSatisfy { 0x30...0x39 ~= $0 }
      if isNumber {
        guard let text = port.text, let given = UInt16(text), given > 0 else { return nil }
        number = given
        let known = Self.known.first { InternetPassword.defaultPort(of: $0) == given }
        name = name ?? known ?? (given == 587 ? "smtp" : nil)
      } else {
        name = name ?? port.lowercased
      }
    }
    if let alias = Self.aliases.first(where: { $0.name == name }) {
      name = alias.protocol
      number = number ?? alias.port
    }
    self.protocol = name ?? "https"
    self.port = number
    if !self.protocol.bytes.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x7a ~= $0 || $0 == 0x2b || $0 == 0x2d })
    {
      return nil
    }
  }
}
