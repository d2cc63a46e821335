public import Bytes

/// The text in which an item keeps the secret of one-time codes.
public enum OneTimeCodeURL {
  /// The URL for a secret as people paste it and password managers keep it: an `otpauth:` URL, unchanged, a key in
  /// Base32 alone, `steam://KEY`, or `key=KEY&size=DIGITS&step=PERIOD` as in old KeePass add-ons.
  ///
  /// - Returns: `nil` if it is none of these, or unusable (``OneTimeCodeSecret``).
  public static func normal(_ text: UnsafeRawBufferPointer) -> Secret? {
    let text = trimmed(text)
    var url = Secret(capacity: text.count + 64)
    if begins(text, "otpauth:") {
      url.append(text)
    } else if begins(text, "steam://") {
      guard case .some(let key) = Base32.normal(rest(text, after: "steam://")) else { return nil }
      url.append("otpauth://totp/Steam?secret=")
      url.append(key)
      url.append("&issuer=Steam&encoder=steam")
    } else if begins(text, "key=") {
      url.append("otpauth://totp/?")
      for (index, part) in text.split(separator: UInt8(ascii: "&")).enumerated() {
        if index > 0 { url.append("&") }
        let name = part.prefix { $0 != UInt8(ascii: "=") }
        switch String(decoding: name, as: UTF8.self) {
        case "key": url.append("secret")
        case "step": url.append("period")
        case "size": url.append("digits")
        default: url.append(name.whole)
        }
        url.append(part.dropFirst(name.count).whole)
      }
    } else {
      guard case .some(let key) = Base32.normal(text) else { return nil }
      url.append("otpauth://totp/?secret=")
      url.append(key)
    }
    switch url.withUnsafeBytes({ OneTimeCodeSecret(url: $0) }) {
    case .none: return nil
    case .some: return url
    }
  }

  /// The URL with its counter increased by one; `nil` if it has none, or the last one.
  public static func afterUse(_ url: UnsafeRawBufferPointer) -> Secret? {
    guard case .some(let secret) = OneTimeCodeSecret(url: url), case .counter(let counter) = secret.moving,
      counter < UInt64.max, let question = url.firstIndex(of: UInt8(ascii: "?"))
    else { return nil }
    var next = Secret(capacity: url.count + 1)
    next.append(url.slice(...question))
    for (index, part) in url[(question + 1)...].split(separator: UInt8(ascii: "&")).enumerated() {
      if index > 0 { next.append("&") }
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      if name.map(lowercased).elementsEqual("counter".utf8) {
        next.append("counter=")
        next.append(contentsOf: ByteString(String(counter + 1)))
      } else {
        next.append(part.whole)
      }
    }
    return next
  }

  private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var part = text[...]
    while let first = part.first, first <= 0x20 { part.removeFirst() }
    while let last = part.last, last <= 0x20 { part.removeLast() }
    return part.whole
  }

  private static func begins(_ text: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
    text.count > prefix.utf8CodeUnitCount
      && zip(text, UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        .allSatisfy { lowercased($0) == $1 }
  }

  private static func rest(
    _ text: UnsafeRawBufferPointer, after prefix: StaticString
  ) -> UnsafeRawBufferPointer {
    text.slice(prefix.utf8CodeUnitCount...)
  }
}
