import Bytes

/// A keychain of a list, opened when it is needed.
final class OpenMember {
  let name: String
  let isShared: Bool
  /// Why it couldn't be used when last asked; `nil` if it could.
  var failure: KeychainError?
  /// Whether the failure was reported.
  var isSaid = false
  private let open: () throws(KeychainError) -> any KeychainStore
  private var opened: (any KeychainStore)?

  init(_ member: KeychainSearchList.Member) {
    name = member.name
    isShared = member.isShared
    open = member.open
  }

  /// - Throws: ``KeychainError`` if it can't be opened. The next call tries again.
  func store() throws(KeychainError) -> any KeychainStore {
    if let opened { return opened }
    let store = try open()
    opened = store
    return store
  }

  /// Why it, or a part of it, couldn't be used when last asked.
  var passedOver: KeychainError? { failure ?? opened?.passedOver }

  // MARK: References

  /// The mark of a reference outside the default keychain: `@NAME:REFERENCE`.
  private static let mark = UInt8(ascii: "@")
  private static let end = UInt8(ascii: ":")

  /// The item with a reference that leads to this keychain.
  ///
  /// - Parameter isHome: whether it is the default one. References there stay as they are, so that programs that
  ///   keep one find the item, whatever other keychains there are.
  func outward(_ item: Item, isHome: Bool, hidden: Set<HiddenItem> = []) -> Item {
    var outer = item
    outer.keychain = name
    outer.isHidden = !hidden.isEmpty && hidden.contains(HiddenItem(item))
    if isHome, !Self.looksForeign(item) { return outer }
    guard let reference = item.reference else { return outer }
    var bytes = Array("@\(name):".utf8)
    bytes += reference.bytes.bytes
    outer.reference = ItemReference(ByteString(bytes))
    return outer
  }

  /// Whether an item's reference could be taken for one with a name.
  private static func looksForeign(_ item: Item) -> Bool { item.reference?.bytes.bytes.first == mark }

  /// The name in a reference, and the rest; `nil` if it has none.
  static func parts(of reference: ItemReference) -> (name: String, own: ItemReference)? {
    let bytes = reference.bytes.bytes
    guard bytes.first == mark, let colon = bytes.firstIndex(of: end) else { return nil }
    let name = String(decoding: bytes[bytes.startIndex + 1..<colon], as: UTF8.self)
    return (name, ItemReference(ByteString(Array(bytes[(colon + 1)...]))))
  }
}

extension Item {
  /// Whether a reference is this item's. It may come from a list in which the item's keychain was one of several.
  package func isNamed(by text: ByteString) -> Bool {
    if reference?.bytes == text { return true }
    guard let parts = OpenMember.parts(of: ItemReference(text)) else { return false }
    return parts.own == reference && (keychain == nil || keychain == parts.name)
  }
}

extension Sequence<Item> {
  /// The names of the items' keychains, in the order of asking; `nil` for items of one that was asked alone.
  package var keychains: [String?] {
    var names: [String?] = []
    for item in self where !names.contains(item.keychain) { names.append(item.keychain) }
    return names
  }
}
