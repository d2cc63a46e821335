import Bytes
import Keychain

/// The login that wget would use by itself. With an askpass program, wget 1.21 asks that before everything else, and
/// uses its answer in place of its own options and of `~/.netrc`.
enum WgetLogin {
  /// The login on the command line, which takes precedence over every keychain; `nil` if there is none.
  static func onCommandLine(_ prompt: ByteString, _ caller: any Caller) -> Secret? {
    let isFTP = Question(prompt).isFTP
    let user = caller.value(ofOptions: [isFTP ? "--ftp-user" : "--http-user", "--user"])
    let password = caller.value(ofOptions: [isFTP ? "--ftp-password" : "--http-password", "--password"])
    guard let user else { return Question(prompt).isForAccount ? nil : password }
    return Question(prompt).isForAccount ? user : password ?? Secret()
  }

  /// wget's login without options: that of `~/.netrc`, for FTP the anonymous one, else an empty one, with which it
  /// first asks the server without a login.
  static func own(_ prompt: ByteString, _ call: any ToolCall) -> Secret {
    let question = Question(prompt)
    if let file = call.contents(ofFile: ".netrc") {
      let found = file.withUnsafeBytes { text -> Secret? in
        guard let login = login(at: question.server, question.account, in: text) else { return nil }
        let part = question.isForAccount ? login.0 : login.1
        return Secret(copying: UnsafeRawBufferPointer(rebasing: text[part]))
      }
      if let found { return found }
    }
    if question.isFTP { return Secret(question.isForAccount ? "anonymous" : "-wget@") }
    return Secret()
  }

  /// wget's askpass program before `llavero setup wget`: the `use_askpass` before llavero's own line, or in the
  /// system's file; `nil` if there is none.
  static func formerAskpass(_ call: any ToolCall) -> ByteString? {
    let own = call.variable("WGETRC").nonEmpty ?? ".wgetrc"
    for path in [own, call.variable("SYSTEM_WGETRC").nonEmpty ?? "/etc/wgetrc"] {
      guard let file = call.contents(ofFile: path) else { continue }
      if let found = file.withUnsafeBytes(lastAskpass) { return found }
    }
    return nil
  }

  /// The last program named by a wgetrc, except llavero. Names ignore case, hyphens and underscores (GNU Wget manual,
  /// "Wgetrc Syntax").
  private static func lastAskpass(in text: UnsafeRawBufferPointer) -> ByteString? {
    var (last, lines): (ByteString?, Lines) = (nil, Lines(text))
    while let line = lines.next() {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = line[..<equals].filter { $0 > 0x20 && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
      guard ByteString(name).lowercased == "useaskpass" else { continue }
      var value = line[(equals + 1)...].drop { $0 <= 0x20 }
      while let end = value.last, end <= 0x20 { value = value.dropLast() }
      let program = ByteString(Array(value))
      if !program.isEmpty, !program.bytes.suffix(15).elementsEqual("llavero-askpass".utf8) { last = program }
    }
    return last
  }

  /// The place in wget's prompt, without the port and anything that needs encoding.
  private struct Question {
    let isForAccount: Bool
    let isFTP: Bool
    let account: [UInt8]
    let server: [UInt8]

    init(_ prompt: ByteString) {
      isForAccount = prompt.bytes.starts(with: "Username".utf8)
      let url = prompt.bytes.split(separator: UInt8(ascii: "'")).dropFirst().first ?? []
      isFTP = url.starts(with: "ftp".utf8)
      let rest = Array(url.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") })
      let at = rest.lastIndex(of: UInt8(ascii: "@"))
      account = at.map { Array(rest[..<$0]) } ?? []
      server = at.map { Array(rest[($0 + 1)...]) } ?? rest
    }
  }

  /// The login of a netrc file for a server, as two ranges of its text: the first for the server, else that of
  /// `default` (netrc(5)).
  private static func login(
    at server: [UInt8], _ account: [UInt8], in text: UnsafeRawBufferPointer
  ) -> (Range<Int>, Range<Int>)? {
    var words: [Range<Int>] = []
    var start: Int?
    for index in 0...text.count {
      let isSpace = index == text.count || text[index] <= 0x20
      if let begin = start, isSpace {
        words.append(begin..<index)
        start = nil
      } else if start == nil, !isSpace {
        start = index
      }
    }
    func isWord(_ index: Int, _ word: [UInt8]) -> Bool { text[words[index]].elementsEqual(word) }
    var isMeant = false
    var (user, password): (Range<Int>?, Range<Int>?)
    for index in words.indices {
      let isEntry = isWord(index, Array("machine".utf8)) || isWord(index, Array("default".utf8))
      if isEntry {
        if isMeant, let user, let password { return (user, password) }
        (user, password) = (nil, nil)
        isMeant = isWord(index, Array("default".utf8)) || index + 1 < words.count && isWord(index + 1, server)
      } else if index > 0, isMeant, isWord(index - 1, Array("login".utf8)) {
        if !account.isEmpty, !isWord(index, account) { isMeant = false }
        user = words[index]
      } else if index > 0, isMeant, isWord(index - 1, Array("password".utf8)) {
        password = words[index]
      }
    }
    if isMeant, let user, let password { return (user, password) }
    return nil
  }
}

extension Caller {
  /// Whether it is wget, or wget2.
  var isWget: Bool { programName?.bytes.starts(with: "wget".utf8) ?? false }
}
