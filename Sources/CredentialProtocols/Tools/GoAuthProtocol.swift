public import Keychain

/// The protocol of the go command's `GOAUTH` (`go help goauth`): URLs, and the headers to send to them.
public enum GoAuthProtocol: ToolProtocol {
  /// Go passes the URL that was rejected.
  public static let rehearsal: Rehearsal? = { (url, _) in RehearsedArguments([url]) }

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero goauth [OPTION...] [URL]

    The go command calls this by itself after:

      go env -w GOAUTH='llavero goauth;netrc'

    With a URL, which a server has just refused, it prints the header to send there,
    if the keychain has a login for it; see llavero-goauth(1).

    """

  /// Answers one call. A missing item is not an error, because go asks for every URL that it can't find.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    guard call.operands.count <= 1 else { throw .misused("goauth takes one URL") }
    // Before its first fetch go asks for all known credentials. Servers that haven't asked for any get none.
    guard let url = call.operands.first else { return 0 }
    // The server's response, which doesn't affect the answer.
    _ = try call.input()
    if url.bytes.contains(where: { $0 <= 0x20 || $0 == 0x7f }) {
      throw .misused("the URL has a space or a control character in it")
    }
    let (place, account) = try Place.parse(url)
    guard place.protocol == "https",
      let answer = try Resolver(call, takesAccounts: true).answer(
        at: place, account: account, where: { _, _ in true })
    else { return 0 }
    let header = try authorization(of: answer)
    var reply = Secret(capacity: 256)
    for prefix in prefixes(of: url, for: answer.item) {
      reply.append(contentsOf: prefix)
      reply.append("\n")
    }
    reply.append("\nAuthorization: ")
    reply.append(header)
    reply.append("\n\n")
    try call.write(reply)
    return 0
  }

  /// The part of the URL covered by the item, spelled as in the URL, because go compares text segment by segment. A
  /// query belongs to the last segment (golang/go#80597), so a URL with one is also listed itself.
  private static func prefixes(of url: ByteString, for item: Item) -> [ByteString] {
    let bytes = url.bytes
    let slash = UInt8(ascii: "/")
    let pathEnd = bytes.firstIndex { $0 == 0x3f || $0 == 0x23 } ?? bytes.endIndex  // ? #
    let hostStart = "https://".utf8.count
    for end in min(hostStart, pathEnd)...pathEnd where end == pathEnd || bytes[end] == slash {
      let prefix = ByteString(Array(bytes[..<end]))
      guard let place = try? Place.parse(prefix).place, place.path == item.path else { continue }
      return end == pathEnd && pathEnd < bytes.endIndex ? [prefix, url] : [prefix]
    }
    return [url]
  }
}

extension Item {
  /// The path covered by the item; `nil` for a whole host.
  fileprivate var path: ByteString? {
    guard case .internetPassword(let key) = key else { return nil }
    return key.path
  }
}
