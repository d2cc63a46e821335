package import Bytes
import Keychain

/// The URL in the name of a setting, as in `credential.https://*.example.com.helper`, matched by the rules of
/// git-config(1), "http.<url>.*", and gitcredentials(7), "CREDENTIAL CONTEXTS".
package struct GitURLPattern {
  private enum Form {
    case url(GitURL)
    /// Less than a URL: a host, a scheme or a path alone. Each part present must be equal.
    case parts(scheme: ByteString?, account: ByteString?, host: ByteString?, path: ByteString?)
  }

  private let form: Form

  /// Parses a pattern; `nil` if git would ignore it with a warning.
  package init?(_ text: String) {
    if let url = GitURL(text, allowsWildcards: true) {
      form = .url(url)
      return
    }
    let secret = Secret(text)
    let parts = secret.withUnsafeBytes { bytes in
      let isWhole = text.schemeMark != nil
      return try? CredentialURL(parsing: bytes, assuming: isWhole ? nil : "")
    }
    switch consume parts {
    case .none: return nil
    case .some(let parts):
      form = .parts(
        scheme: Optional(parts.protocol).nonEmpty, account: parts.account,
        host: Optional(parts.host).nonEmpty,
        path: parts.path)
    }
  }

  /// The pattern's path, without surrounding slashes; may be empty.
  package var path: String {
    guard case .url(let pattern) = form else { return "" }
    return pattern.path.split(separator: "/").joined(separator: "/")
  }

  /// How well the pattern fits a place; `nil` if it doesn't.
  package func fit(_ place: GitPlace) -> GitPatternFit? {
    switch form {
    case .url(let pattern): return place.normal.flatMap { pattern.fit($0) }
    case .parts(let scheme, let account, let host, let path):
      func agrees(_ wanted: ByteString?, _ value: ByteString?) -> Bool { wanted.map { $0 == value } ?? true }
      guard agrees(scheme, place.protocol), agrees(account, place.account), agrees(host, place.host),
        agrees(path, place.path)
      else { return nil }
      return GitPatternFit(host: 0, path: 0, hasAccount: account != nil)
    }
  }
}

/// How well a pattern fits: git prefers the longer host, then the longer path, then a pattern with an account.
package struct GitPatternFit: Comparable {
  private let host: Int
  private let path: Int
  private let hasAccount: Bool

  fileprivate init(host: Int, path: Int, hasAccount: Bool) {
    (self.host, self.path, self.hasAccount) = (host, path, hasAccount)
  }

  package static func < (first: GitPatternFit, second: GitPatternFit) -> Bool {
    (first.host, first.path, first.hasAccount ? 1 : 0) < (second.host, second.path, second.hasAccount ? 1 : 0)
  }
}

package struct GitPlace {
  /// The scheme, as written.
  package let `protocol`: ByteString
  package let account: ByteString?
  /// The host and optional port, as written.
  package let host: ByteString
  package let path: ByteString?
  fileprivate let normal: GitURL?

  package init(protocol: ByteString, account: ByteString?, host: ByteString, path: ByteString?) {
    (self.protocol, self.account, self.host, self.path) = (`protocol`, account, host, path)
    let user = account.map { PercentEncoding.text($0) + "@" } ?? ""
    let tail = path.map { "/" + PercentEncoding.text($0, keeping: ":/?#[]@!$&'()*+,;=") } ?? ""
    normal = GitURL("\(`protocol`)://\(user)\(host)\(tail)", allowsWildcards: false)
  }
}

/// A URL in git's normal form: scheme and host in lowercase, no default port, only necessary escapes, and no dot
/// segments.
private struct GitURL {
  let scheme: String
  let account: String?
  /// The labels of the host; `*` matches any one.
  let labels: [Substring]
  let hostLength: Int
  let port: String
  /// The path, query and fragment, beginning with a slash.
  let path: String

  /// Parses a URL; `nil` if git's settings can't have it.
  ///
  /// - Parameter allowsWildcards: whether `*` may stand for a label of the host.
  init?(_ text: String, allowsWildcards: Bool) {
    guard let mark = text.schemeMark, text[..<mark.lowerBound].utf8.isScheme else { return nil }
    scheme = text[..<mark.lowerBound].lowercased()
    let rest = text[mark.upperBound...].utf8
    let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
    var authority = rest[..<authorityEnd]
    if let at = authority.firstIndex(of: UInt8(ascii: "@")) {
      // A password in it is ignored.
      guard let user = Self.normal(authority[..<at].prefix { $0 != UInt8(ascii: ":") }) else { return nil }
      account = user
      authority = authority[authority.index(after: at)...]
    } else {
      account = nil
    }
    let end = authority.lastIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "]") }
    let colon = end.flatMap { authority[$0] == UInt8(ascii: ":") ? $0 : nil }
    let host = authority[..<(colon ?? authority.endIndex)]
    let isHost = host.allSatisfy {
      $0.isLetterOrDigit || ".-_:[]".utf8.contains($0)
        || allowsWildcards && $0 == UInt8(ascii: "*")
    }
    guard isHost, !host.isEmpty || scheme == "file" else { return nil }
    hostLength = host.count
    var labels = String(decoding: host, as: UTF8.self).lowercased()
      .split(separator: ".", omittingEmptySubsequences: false)
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    self.labels = labels
    guard
      let port = Self.port(
        colon.map { authority[authority.index(after: $0)...] } ?? authority.prefix(0), scheme),
      let path = Self.path(rest[authorityEnd...])
    else { return nil }
    (self.port, self.path) = (port, path)
  }

  func fit(_ url: GitURL) -> GitPatternFit? {
    guard scheme == url.scheme, account == nil || account == url.account, port == url.port,
      labels.count == url.labels.count, zip(labels, url.labels).allSatisfy({ $0 == "*" || $0 == $1 })
    else { return nil }
    let folder = path.hasSuffix("/") ? path.dropLast() : path[...]
    guard url.path.utf8.starts(with: folder.utf8),
      url.path.utf8.dropFirst(folder.utf8.count).first.map({ $0 == UInt8(ascii: "/") }) ?? true
    else { return nil }
    return GitPatternFit(host: hostLength, path: folder.utf8.count + 1, hasAccount: account != nil)
  }

  /// A port; empty for none or the scheme's default.
  private static func port(_ digits: some Collection<UInt8>, _ scheme: String) -> String? {
    if digits.isEmpty { return "" }
    guard let number = decimal(digits), 1...65_535 ~= number else { return nil }
    let isOwn = scheme == "https" && number == 443 || scheme == "http" && number == 80
    return isOwn ? "" : "\(number)"
  }

  private static func path(_ text: Substring.UTF8View) -> String? {
    let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
    guard let path = normal(text[..<end]), let rest = normal(text[end...]) else { return nil }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(
      path.hasPrefix("/") ? 1 : 0)
    for segment in segments {
      if segment == ".." {
        if kept.popLast() == nil { return nil }
      } else if segment != "." {
        kept.append(segment)
      }
    }
    let isFolder = segments.last == "." || segments.last == ".."
    return "/" + kept.joined(separator: "/") + (isFolder && !kept.isEmpty ? "/" : "") + rest
  }

  /// The text with the necessary escapes only; `nil` if it isn't well-formed.
  private static func normal(_ text: some Sequence<UInt8>) -> String? {
    let reserved = ":/?#[]@!$&'()*+,;=".utf8
    let unsafe = " <>\"%{}|\\^`".utf8
    var normal: [UInt8] = []
    let isWellFormed = PercentEncoding.decode(text) { byte, wasEscaped in
      if byte <= 0x1f || byte >= 0x7f || unsafe.contains(byte) || wasEscaped && reserved.contains(byte) {
        normal.append(escaped: byte)
      } else {
        normal.append(byte)
      }
    }
    if !isWellFormed { return nil }
    return String(decoding: normal, as: UTF8.self)
  }
}

extension String {
  /// Where `://` is after a scheme; `nil` if there is none. The standard library's search for text would bring its
  /// regular expressions along, a sixth of the tools' program.
  package var schemeMark: Range<Index>? {
    let mark = "://".utf8
    guard let start = utf8.firstIndex(of: UInt8(ascii: ":")), utf8[start...].starts(with: mark) else {
      return nil
    }
    return start..<utf8.index(start, offsetBy: mark.count)
  }
}
