public import Keychain

extension Item {
  /// The item that a test spells `SCHEME:ACCOUNT@HOST:PORT/PATH#DOMAIN?AUTHTYPE`, with a `!` for a default.
  ///
  /// `alice@` is one of `https://example.com`, `@` has no account, `''@` an empty one, and `@-` no server.
  /// `generic:SERVICE,ACCOUNT` is a generic password.
  public init(spelled word: String) {
    func value(_ text: Substring) -> ByteString { ByteString(text == "''" ? "" : String(text)) }
    if word.hasPrefix("generic:") {
      let parts = word.dropFirst(8).split(separator: ",", maxSplits: 1)
      self = .generic(parts.first.map(value) ?? "", account: parts.count > 1 ? value(parts[1]) : nil)
      return
    }
    var rest = word[...]
    let isDefault = rest.last == "!"
    if isDefault { rest.removeLast() }
    /// What follows a mark, which goes with it.
    func take(after mark: Character) -> Substring? {
      guard let position = rest.firstIndex(of: mark) else { return nil }
      defer { rest = rest[..<position] }
      return rest[position...].dropFirst()
    }
    let (type, domain) = (take(after: "?"), take(after: "#"))
    let at = rest.firstIndex(of: "@") ?? rest.startIndex
    let who = rest[..<at]
    rest = rest[at...].dropFirst()
    let path = take(after: "/")
    let hasPort = !rest.hasPrefix("::")
    let port = hasPort ? take(after: ":").flatMap { UInt16($0) } : nil
    let colon = who.firstIndex(of: ":")
    let account = colon.map { who[$0...].dropFirst() } ?? who
    self = .internet(
      rest.isEmpty ? "example.com" : rest == "-" ? nil : value(rest),
      account: account.isEmpty ? nil : value(account),
      path: path.map(value), protocol: colon.map { value(who[..<$0]) } ?? "https", port: port,
      domain: domain.map(value),
      authenticationType: type.map(value))
    self.isDefault = isDefault
  }
}

extension RevealedCredential {
  /// The second of an expiry: a number, or how it is from the time at which all clocks begin.
  public static func expiry(_ word: String) -> Int64? {
    let times: [String: Int64] = ["now": 0, "soon": 60, "late": 3600, "later": 3601]
    return times[word].map { SettableClock.start.seconds + $0 } ?? Int64(word)
  }

  /// The credential that a test spells `SECRET~EXPIRY+TOKEN^SCHEME`.
  public init(spelled word: String) {
    var parts: [Character: String] = [:]
    var rest = word
    for mark in "^+~" {
      guard let position = rest.lastIndex(of: mark) else { continue }
      parts[mark] = String(rest[position...].dropFirst())
      rest = String(rest[..<position])
    }
    self.init(
      ByteString(rest == "''" ? "" : rest), expiry: parts["~"].flatMap(Self.expiry),
      refreshToken: parts["+"].map { ByteString($0 == "''" ? "" : $0) },
      scheme: parts["^"].map { ByteString($0) })
  }

  /// How a test spells it.
  public var spelled: String {
    let times = ["now", "soon", "late", "later"]
    let when = expiry.map { expiry in "~" + (times.first { Self.expiry($0) == expiry } ?? "\(expiry)") }
    return "\(secret)" + (when ?? "") + (refreshToken.map { "+\($0)" } ?? "")
      + (scheme.map { "^\($0)" } ?? "")
  }
}
