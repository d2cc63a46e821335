import Bytes
import JSON

extension Item {
  /// Fields with names that a person gave them, and that aren't confidential. Those that are belong to
  /// ``FurtherSecrets``.
  public var fields: [(name: ByteString, value: ByteString)] {
    var all: [(ByteString, ByteString)] = []
    furtherAttributes[Self.fieldsTag]?.bytes.withUnsafeBytes {
      TextMembers.forEach(in: $0) { all.append(($0, ByteString($1))) }
    }
    return all
  }

  /// Adds a field. A second one of a name gets a number.
  ///
  /// - Returns: whether it was added, which takes UTF-8, and room.
  @discardableResult
  public mutating func addField(_ name: ByteString, _ value: ByteString) -> Bool {
    let present = Secret(copying: furtherAttributes[Self.fieldsTag] ?? "")
    guard case .some(let added) = TextMembers.adding(name, Secret(copying: value), to: present),
      added.count <= ItemBounds.attribute
    else { return false }
    furtherAttributes[Self.fieldsTag] = added.withUnsafeBytes { ByteString($0) }
    return true
  }

  /// The names under which a person has filed it: tags, or folders.
  public var tags: [ByteString] {
    get { furtherAttributes[Self.tagsTag]?.bytes.split(separator: 0x0a).map { ByteString(Array($0)) } ?? [] }
    set {
      let text = newValue.map(\.bytes).joined(separator: [0x0a])
      furtherAttributes[Self.tagsTag] = newValue.isEmpty ? nil : ByteString(Array(text))
    }
  }

  static let fieldsTag: ByteString = "flds"
  static let tagsTag: ByteString = "tags"
}
