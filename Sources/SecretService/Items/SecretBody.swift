import Bytes
import Keychain

/// The stored form of an item's confidential part, as in git's own helpers: the secret, then lines
/// `password_expiry_utc=N` and `oauth_refresh_token=T`, with nothing after the last; further `authtype=` and
/// `credential=`, `llavero_otpauth=` and `llavero_fields=`, which those helpers ignore.
///
/// If the secret or the token contains line feeds, the stored form also states the secret's length. A line
/// `llavero_bytes=` with a byte that isn't UTF-8 makes gnome-keyring keep all of it as bytes (``KeyringFile``).
struct SecretBody {
  /// How to distinguish the lines after a secret from a secret of several lines.
  enum Form {
    /// As in git's helper: the secret is the first line, and unknown lines are ignored.
    case firstLine
    /// Known lines at the end don't belong to the secret.
    case knownLines
    /// Everything is the secret, unless a line at the end states its length.
    case whole

    init(of attributes: [String: String]) {
      if attributes[ItemAttributes.schema] == "org.git.Password" {
        self = .firstLine
      } else if case .internetPassword? = ItemAttributes.key(of: attributes) {
        self = .knownLines
      } else {
        self = .whole
      }
    }
  }

  // MARK: Writing

  /// The credential's stored form.
  ///
  /// - Parameter isText: whether it is kept as text, like the other secrets there.
  static func encode(
    _ credential: borrowing Credential, as form: Form, isText: Bool = true
  ) -> Secret {
    let hasMore =
      credential.expiry != nil || credential.hasRefreshToken || credential.authenticationScheme != nil
      || !credential.further.isEmpty
    if form == .whole, isText, !hasMore, !isMarked(credential.secret) { return credential.secret.copy() }
    let isMarking = form == .whole || hasLineFeed(credential.secret) || hasLineFeedInToken(credential)
    let isReadyMade = credential.authenticationScheme != nil && !isMarking
    var body = isReadyMade ? Secret(capacity: 256) : credential.secret.copy()
    if let expiry = credential.expiry { append(.expiry, ByteString(String(expiry)), to: &body) }
    switch credential.refreshToken {
    case .none: break
    case .some(let token):
      if isMarking {
        append(.encodedRefreshToken, base64(token), to: &body)
      } else {
        append(.refreshToken, token, to: &body)
      }
    }
    if let scheme = credential.authenticationScheme { append(.authenticationScheme, scheme, to: &body) }
    if isReadyMade { append(.credential, credential.secret, to: &body) }
    switch credential.further.oneTimeCode {
    case .none: break
    case .some(let code): append(.oneTimeCode, code, to: &body)
    }
    credential.further.withFields { append(.fields, $0, to: &body) }
    if !isText { append(.bytes, ByteString([0xff]), to: &body) }
    if isMarking { append(.length, ByteString(String(credential.secret.count)), to: &body) }
    return body
  }

  // MARK: Reading

  static func decode(_ body: borrowing Secret, as form: Form) -> Credential {
    body.withUnsafeBytes { bytes in
      if let length = KnownLines.statedLength(in: bytes) {
        return KnownLines(bytes, after: length).credential(secret: first(length, of: bytes))
      }
      switch form {
      case .whole:
        return Credential(Secret(copying: bytes))
      case .knownLines:
        let lines = KnownLines(atEndOf: bytes)
        let endsLine = lines.start == bytes.count && bytes.last == lineFeed
        return lines.credential(secret: first(endsLine ? lines.start - 1 : lines.start, of: bytes))
      case .firstLine:
        let end = bytes.firstIndex(of: lineFeed) ?? bytes.count
        return KnownLines(bytes, after: end).credential(secret: first(end, of: bytes))
      }
    }
  }

  private static func first(_ count: Int, of bytes: UnsafeRawBufferPointer) -> Secret {
    Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
  }

  fileprivate static let lineFeed = UInt8(ascii: "\n")

  fileprivate enum Key: String, CaseIterable {
    case expiry = "password_expiry_utc="
    case refreshToken = "oauth_refresh_token="
    case encodedRefreshToken = "oauth_refresh_token_b64="
    case authenticationScheme = "authtype="
    case credential = "credential="
    case oneTimeCode = "llavero_otpauth="
    case fields = "llavero_fields="
    case length = "secret_bytes="
    case bytes = "llavero_bytes="
  }

  /// Whether gnome-keyring would read another secret from its text than it wrote.
  static func isFragile(_ body: UnsafeRawBufferPointer) -> Bool {
    guard let first = body.first, let last = body.last, isValidUTF8(body) else { return false }
    return first == 0x20 || last == 0x20
      || body.contains { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }
  }

  private static func append(_ key: Key, _ value: ByteString, to body: inout Secret) {
    body.append(lineFeed)
    body.append(contentsOf: ByteString(key.rawValue))
    body.append(contentsOf: value)
  }

  private static func append(_ key: Key, _ value: borrowing Secret, to body: inout Secret) {
    body.append(lineFeed)
    body.append(contentsOf: ByteString(key.rawValue))
    body.append(value)
  }

  private static func hasLineFeed(_ secret: borrowing Secret) -> Bool {
    secret.withUnsafeBytes { $0.contains(lineFeed) }
  }

  private static func hasLineFeedInToken(_ credential: borrowing Credential) -> Bool {
    switch credential.refreshToken {
    case .none: false
    case .some(let token): hasLineFeed(token)
    }
  }

  /// Whether the bytes would be read as a form that states the secret's length.
  private static func isMarked(_ secret: borrowing Secret) -> Bool {
    secret.withUnsafeBytes { KnownLines.statedLength(in: $0) != nil }
  }

  private static func base64(_ secret: borrowing Secret) -> Secret {
    var text = Secret(capacity: secret.count / 3 * 4 + 4)
    secret.withUnsafeBytes { Base64.encode($0, to: &text) }
    return text
  }
}

/// The lines after a secret, as positions in the bytes, whose contents are copied only into memory that is wiped.
private struct KnownLines {
  private let bytes: UnsafeRawBufferPointer
  /// Where the first begins, including its line feed; the number of bytes if there is none.
  let start: Int
  private var values: [SecretBody.Key: Range<Int>] = [:]

  init(atEndOf bytes: UnsafeRawBufferPointer) {
    var start = bytes.count
    while let lineFeed = bytes[..<start].lastIndex(of: SecretBody.lineFeed),
      Self.key(of: lineFeed + 1..<start, in: bytes) != nil
    {
      start = lineFeed
    }
    self.init(bytes, after: start)
  }

  /// The known lines from `start` on, whatever is between them.
  init(_ bytes: UnsafeRawBufferPointer, after start: Int) {
    self.bytes = bytes
    self.start = start
    var position = start
    while position < bytes.count {
      let end = bytes[(position + 1)...].firstIndex(of: SecretBody.lineFeed) ?? bytes.count
      if let (key, value) = Self.key(of: position + 1..<end, in: bytes) { values[key] = value }
      position = end
    }
  }

  /// The secret's length, if the last line states it and only known lines follow the secret.
  static func statedLength(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let last = bytes.lastIndex(of: SecretBody.lineFeed),
      let (key, value) = key(of: last + 1..<bytes.count, in: bytes), key == .length,
      let length = number(value, in: bytes), 0...Int64(last) ~= length
    else { return nil }
    var position = Int(length)
    while position < bytes.count {
      guard bytes[position] == SecretBody.lineFeed else { return nil }
      let end = bytes[(position + 1)...].firstIndex(of: SecretBody.lineFeed) ?? bytes.count
      guard Self.key(of: position + 1..<end, in: bytes) != nil else { return nil }
      position = end
    }
    return Int(length)
  }

  /// A line's key and the position of its value; `nil` if it isn't known.
  private static func key(
    of line: Range<Int>, in bytes: UnsafeRawBufferPointer
  ) -> (SecretBody.Key, Range<Int>)? {
    for key in SecretBody.Key.allCases where bytes[line].starts(with: key.rawValue.utf8) {
      let value = line.lowerBound + key.rawValue.utf8.count..<line.upperBound
      if key == .expiry || key == .length, number(value, in: bytes) == nil { return nil }
      return (key, value)
    }
    return nil
  }

  func credential(secret: consuming Secret) -> Credential {
    var scheme: ByteString?
    if let range = values[.authenticationScheme] { scheme = ByteString(part(range)) }
    var credential = Credential(
      secret, expiry: values[.expiry].flatMap { Self.number($0, in: bytes) }, refreshToken: refreshToken(),
      authenticationScheme: scheme)
    if let range = values[.oneTimeCode] { credential.further.oneTimeCode = Secret(copying: part(range)) }
    if let range = values[.fields] { try? credential.further.takeFields(part(range)) }
    if scheme != nil, let range = values[.credential] { credential.secret = Secret(copying: part(range)) }
    return credential
  }

  private func refreshToken() -> Secret? {
    if let range = values[.refreshToken] { return Secret(copying: part(range)) }
    guard let range = values[.encodedRefreshToken] else { return nil }
    var token = Secret(capacity: range.count)
    guard Base64.decode(part(range), to: &token) else { return nil }
    return token
  }

  private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  private static func number(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Int64? {
    guard 1...20 ~= range.count else { return nil }
    return Int64(String(decoding: bytes[range], as: UTF8.self))
  }
}
