import Bytes
public import Keychain

/// The `state[]` of an answer, which git sends back with its next request: `llavero:ITEM`, or `llavero+CHANGED:ITEM`
/// for an answer with `continue`.
///
/// Programs that use `git credential` send it with any later question. Only the second kind means that the server
/// refused the answer, because only git itself gets it (git-credential(1), "INPUT/OUTPUT FORMAT").
public struct GitState: Equatable, Sendable {
  /// The item that answered.
  public let item: ItemReference
  /// When the item was last changed, for an answer with `continue`.
  public let continued: Timestamp?

  private static let name: StaticString = "llavero"
  private static let colon = UInt8(ascii: ":")
  private static let plus = UInt8(ascii: "+")

  /// The state of an answer; `nil` if the item has no reference.
  ///
  /// - Parameter continues: whether the answer has `continue`.
  init?(of item: Item, continues: Bool) {
    guard let reference = item.reference else { return nil }
    self.item = reference
    continued = continues ? item.modificationDate : nil
  }

  /// Reads our own value; `nil` for another helper's.
  init?(parsing value: UnsafeRawBufferPointer) {
    let length = Self.name.utf8CodeUnitCount
    guard value.count > length, UnsafeRawBufferPointer(rebasing: value[..<length]) == Self.name,
      let end = value.firstIndex(of: Self.colon), end + 1 < value.count
    else { return nil }
    let mark = UnsafeRawBufferPointer(rebasing: value[length..<end])
    if mark.isEmpty {
      continued = nil
    } else {
      guard mark[0] == Self.plus, let date = decimal(UnsafeRawBufferPointer(rebasing: mark[1...])) else {
        return nil
      }
      continued = Timestamp(milliseconds: date)
    }
    item = ItemReference(ByteString(UnsafeRawBufferPointer(rebasing: value[(end + 1)...])))
  }

  /// The value for ``init(parsing:)``.
  var text: ByteString {
    let mark = continued.map { "+\($0.milliseconds)" } ?? ""
    return ByteString("llavero\(mark):".utf8 + item.bytes.bytes)
  }
}
