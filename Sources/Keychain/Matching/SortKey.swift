import Bytes

/// The text that items are sorted by, in lists and in the encrypted file. There it is part of the format: a record has
/// it as its member `k`.
///
/// The text is the item's primary key: `internet SERVER PROTOCOL PORT DOMAIN ACCOUNT PATH AUTHTYPE` or `generic SERVICE
/// ACCOUNT`; for a certificate, key or identity, its class and the attributes as `TAG=VALUE`, joined by `%,`. If there
/// is an access group, `%@GROUP` follows; if the item is synchronizable, `%1`. For items and collections of the Secret
/// Service it is `item NAME` and `collection NAME`. Server and protocol are in lower case; the port is written out if
/// it is known. An absent part is empty; a part that is present but empty is a lone `%`. Bytes outside `#`…`~`, and `%`
/// and `\`, are percent-encoded. A key is therefore plain ASCII, needs no escaping in JSON, and sorts as its parts do:
/// the space between parts and the `"` after them sort before every byte of a part. No key is another key followed by a
/// space and more, because the longer one would then sort first.
package enum SortKey {
  /// The text of an item's key.
  package static func whole(of key: Item.Key) -> [UInt8] {
    switch key {
    case .internetPassword(let key):
      var text = beginning(server: key.server, protocol: key.protocol, port: key.effectivePort)
      append(key.securityDomain, then: " ", to: &text)
      append(key.account, then: " ", to: &text)
      append(key.path, then: " ", to: &text)
      append(key.authenticationType, then: "", to: &text)
      appendGroup(key.accessGroup, key.isSynchronizable, to: &text)
      return text
    case .genericPassword(let key):
      var text = Array("generic ".utf8)
      append(key.service, then: " ", to: &text)
      append(key.account, then: "", to: &text)
      appendGroup(key.accessGroup, key.isSynchronizable, to: &text)
      return text
    case .cryptographic(let item):
      var text = Array((item.kind.rawValue + " ").utf8)
      item.primaryAttributes.forEach { tag, value in
        if text.last != UInt8(ascii: " ") { text += "%,".utf8 }
        text += tag.bytes
        text.append(UInt8(ascii: "="))
        append(value, then: "", to: &text)
      }
      appendGroup(item.accessGroup, item.isSynchronizable, to: &text)
      return text
    case .secretService(let item):
      var text = beginning(of: item.kind)
      append(item.name, then: "", to: &text)
      return text
    }
  }

  /// The beginning of all keys of the Secret Service's own items, or of its collections: a word that sorts before
  /// `old`, because records out of use come after all others.
  package static func beginning(of kind: SecretServiceItem.Kind) -> [UInt8] {
    switch kind {
    case .item: Array("item ".utf8)
    case .collection: Array("collection ".utf8)
    }
  }

  private static func appendGroup(_ group: ByteString?, _ isSynchronizable: Bool, to text: inout [UInt8]) {
    if let group {
      text += "%@".utf8
      append(group, then: "", to: &text)
    }
    if isSynchronizable { text += "%1".utf8 }
  }

  /// The beginning of the keys of all items at a place.
  static func beginning(server: ByteString?, protocol: ByteString, port: UInt16?) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(96)
    text += "internet ".utf8
    append(server?.lowercased, then: " ", to: &text)
    append(`protocol`.lowercased, then: " ", to: &text)
    append(port.map { ByteString(String($0)) }, then: " ", to: &text)
    return text
  }

  static func append(_ part: ByteString?, then separator: StaticString, to text: inout [UInt8]) {
    if let part {
      if part.isEmpty { text.append(UInt8(ascii: "%")) }
      if part.bytes.contains(where: isEncoded) {
        for byte in part.bytes { append(byte, to: &text) }
      } else {
        text += part.bytes
      }
    }
    if separator.utf8CodeUnitCount == 1 { text.append(separator.utf8Start[0]) }
  }

  private static func isEncoded(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "\\"), ..<UInt8(ascii: "#"), 0x7f...: true
    default: false
    }
  }

  private static func append(_ byte: UInt8, to text: inout [UInt8]) {
    if isEncoded(byte) { text.append(escaped: byte) } else { text.append(byte) }
  }
}
