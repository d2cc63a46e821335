import Bytes

extension InternetPassword {
  /// The place as a URL for people to read and type, without the account; ``FilePath`` is for a path without a server.
  /// It has no spaces, and ``Item/Key/place`` can be taken apart again.
  package var readableURL: String {
    var url = `protocol`.isEmpty ? "" : PercentEncoding.readable(`protocol`, delimiters: "/?#@:") + "://"
    if let server {
      let host = PercentEncoding.readable(server, delimiters: "/?#@")
      url += server.bytes.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }
    if let port = Self.furtherPort(port, of: `protocol`) { url += ":\(port)" }
    guard let path else { return url }
    if server == nil { return url + FilePath.text(path) }
    return url + "/" + Self.escapingFirstSlash(PercentEncoding.readable(path)[...])
  }

  /// A path without the slashes that a reader of URLs would drop.
  fileprivate static func escapingFirstSlash(_ path: Substring) -> String {
    path.hasPrefix("/") ? "%2F" + path.dropFirst() : String(path)
  }
}

/// The path of a place without a server: a file on this machine, as for git's `cert`. Git asks for it as configured,
/// with the slash of an absolute path, which readers of URLs drop.
package enum FilePath {
  /// Marks a relative path: `cert:///./key.pem`.
  private static let relative = "./"

  /// The path after `SCHEME://`.
  fileprivate static func text(_ path: ByteString) -> String {
    let text = PercentEncoding.readable(path)
    guard text.hasPrefix("/") else { return "/" + relative + text }
    let rest = text.dropFirst()
    let isAmbiguous = rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(relative)
    return isAmbiguous ? "/%2F" + rest : text
  }

  /// The path meant by a URL without a server, from its decoded path without leading slashes.
  package static func meant(by path: ByteString) -> ByteString {
    if path.bytes.first == UInt8(ascii: "/") { return path }
    if path.bytes.starts(with: relative.utf8) {
      return ByteString(Array(path.bytes.dropFirst(relative.utf8.count)))
    }
    return ByteString([UInt8(ascii: "/")] + path.bytes)
  }
}
