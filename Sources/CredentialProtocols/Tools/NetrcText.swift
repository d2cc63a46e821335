import Bytes
public import Keychain

/// The text of a netrc file: `machine HOST login ACCOUNT password SECRET`, a line each.
///
/// The format has no ports, paths or schemes. Tokens are quoted if necessary, as curl 7.84 and later
/// (everything.curl.dev, "netrc") and Python's `netrc` read them: in `"`, with `\` before `"` and `\`.
public enum NetrcText {
  /// The protocols whose clients read netrc files.
  static let protocols: [ByteString] = ["https", "http", "ftp"]

  /// The lines for the given hosts, or for all hosts in the keychain, best first for each host.
  ///
  /// - Parameter hosts: `HOST` for any port, or `HOST:PORT`; empty for all.
  /// - Throws: ``KeychainError``: with ``Failure/Cause/nothingMatched`` if there is nothing for one of the hosts, or
  ///   nothing at all; if a host can't be understood; if an item contains a line break or NUL byte, which netrc can't
  ///   hold.
  public static func text(
    for hosts: [ByteString], in keychain: any KeychainStore, at now: Timestamp
  ) throws(KeychainError) -> Secret {
    let wanted = try hosts.map { (host) throws(KeychainError) in try server(host) }
    var text = Secret()
    var missing = wanted.isEmpty ? [] : hosts
    var fault: KeychainError?
    try
      (keychain.reading { () throws(KeychainError) in
        var written: Set<Login> = []
        for item in inOrder(try keychain.items(matching: .all)) {
          guard case .internetPassword(let key) = item.key, let server = key.server, let account = key.account
          else { continue }
          let matching = wanted.indices.filter { wanted[$0].matches(key) }
          if !wanted.isEmpty, matching.isEmpty { continue }
          let login = Login(server: server.lowercased, account: account)
          if written.contains(login) { continue }
          guard let credential = try keychain.credentialIfPresent(of: item), !credential.isExpired(at: now),
            credential.authenticationScheme == nil
          else { continue }
          written.insert(login)
          for index in matching { missing.removeAll { $0 == hosts[index] } }
          fault = fault ?? append(login, credential.secret, of: item, to: &text)
        }
        if text.isEmpty || !missing.isEmpty { try keychain.refusePassingOver() }
      })
    if let fault { throw fault }
    if let host = missing.first {
      throw .failure("the keychain has no login for \(host)", hint: .seeList, status: .nothingMatched)
    }
    if text.isEmpty {
      throw .failure(
        "the keychain has no login that a netrc file could hold", hint: .seeList, status: .nothingMatched)
    }
    return text
  }

  private struct Login: Hashable {
    let server: ByteString
    let account: ByteString
  }

  private static func server(_ host: ByteString) throws(KeychainError) -> HostAndPort {
    guard var parsed = HostAndPort(parsing: host), !parsed.server.isEmpty,
      !parsed.server.bytes.contains(UInt8(ascii: "/"))
    else {
      throw .misused("that is not a host: \(host)", hint: "name it as HOST or HOST:PORT, without a scheme")
    }
    parsed.server = parsed.server.lowercased
    return parsed
  }

  /// The items that a netrc file can hold, in order, because clients take the first line for a host: the first
  /// keychain's; then the default port before others, no path before a path, https before http, the default item first,
  /// and then the last changed.
  private static func inOrder(_ items: [Item]) -> [Item] {
    let keychains = items.keychains
    func rank(_ item: Item) -> (Int, Int, Int, Int)? {
      guard case .internetPassword(let key) = item.key, key.securityDomain == nil, !item.isHidden,
        let place = protocols.firstIndex(of: key.protocol.lowercased),
        let keychain = keychains.firstIndex(of: item.keychain)
      else { return nil }
      return (keychain, key.hasOwnPort ? 0 : 1, key.path == nil ? 0 : 1, place)
    }
    let ranked = items.enumerated().compactMap { position, item in
      rank(item).map {
        (
          rank: $0, date: item.modificationDate ?? Timestamp(milliseconds: .min), position: position,
          item: item
        )
      }
    }
    return ranked.sorted { left, right in
      if left.rank != right.rank { return left.rank < right.rank }
      if left.item.isDefault != right.item.isDefault { return left.item.isDefault }
      return left.date == right.date ? left.position < right.position : left.date > right.date
    }.map(\.item)
  }

  /// Appends an item. Returns an error if a netrc file can't hold it.
  private static func append(
    _ login: Login, _ secret: borrowing Secret, of item: Item, to text: inout Secret
  ) -> KeychainError? {
    if appendLine(server: login.server, account: login.account, secret, to: &text) { return nil }
    return .failure(
      "the login for \(item.name) has a line break or a NUL byte in it, which a netrc file can't hold",
      hint: "name the hosts that are needed, or give the secret by 'llavero run --env'", status: .keychain)
  }

  /// The first line of an export. It lets `llavero import` read the rest as curl and Python do.
  public static let exportMark: StaticString = "# llavero\n"

  /// Whether a file comes from `llavero export`.
  public static func isExport(_ file: UnsafeRawBufferPointer) -> Bool {
    file.starts(
      with: UnsafeRawBufferPointer(start: exportMark.utf8Start, count: exportMark.utf8CodeUnitCount))
  }

  /// The protocol in the comment behind a login. `llavero export` writes it there, because the format has no place for
  /// it.
  public static func `protocol`(inComment comment: UnsafeRawBufferPointer) -> ByteString? {
    protocols.dropFirst().first { comment.elementsEqual("# ".utf8.map { $0 } + $0.bytes) }
  }

  /// Appends the line of a login. Returns false, and appends nothing, if a netrc file can't hold it.
  ///
  /// - Parameter protocol: named in a comment behind the login.
  public static func appendLine(
    server: ByteString, account: ByteString, _ secret: borrowing Secret, protocol: ByteString? = nil,
    to text: inout Secret
  ) -> Bool {
    let lengthBefore = text.count
    text.append("machine ")
    var isSpeakable = append(Secret(copying: server), to: &text)
    text.append(" login ")
    isSpeakable = append(Secret(copying: account), to: &text) && isSpeakable
    text.append(" password ")
    isSpeakable = append(secret, to: &text) && isSpeakable
    if let `protocol`, `protocol` != protocols[0] {
      text.append(" # ")
      text.append(contentsOf: `protocol`)
    }
    text.append("\n")
    if !isSpeakable { text.truncate(to: lengthBefore) }
    return isSpeakable
  }

  /// Appends a word. Returns whether a netrc file can hold it.
  private static func append(_ word: borrowing Secret, to text: inout Secret) -> Bool {
    word.withUnsafeBytes { word in
      // Most programs can read it unquoted, including Go's, which doesn't know quotes.
      let needsQuotes =
        word.isEmpty || word.first == 0x22 || word.first == 0x23
        || word.contains { $0 <= 0x20 || $0 == 0x5c || $0 == 0x7f }
      if needsQuotes { text.append(0x22) }
      for byte in word {
        if needsQuotes, byte == 0x22 || byte == 0x5c { text.append(0x5c) }
        text.append(byte)
      }
      if needsQuotes { text.append(0x22) }
      return !word.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 }
    }
  }
}

extension HostAndPort {
  /// Whether an item is for this host, and for this port if one is given.
  fileprivate func matches(_ key: InternetPassword) -> Bool {
    key.isOn(server) && key.isReached(by: nil, at: port)
  }
}
