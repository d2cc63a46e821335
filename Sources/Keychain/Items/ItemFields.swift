import Bytes
import JSON

extension Item {
  /// Fields with names that a person gave them, and that aren't confidential. Those that are belong to
  /// ``FurtherSecrets``.
  public var fields: [(name: ByteString, value: ByteString)] {
    var all: [(ByteString, ByteString)] = []
    guard let fields = furtherAttributes[Self.fieldsTag], TextMembers.isNormal(fields) else { return [] }
    fields.bytes.withUnsafeBytes { TextMembers.forEach(in: $0) { all.append(($0, ByteString($1))) } }
    return all
  }

  /// Adds a field. A second one of a name gets a number.
  ///
  /// - Returns: whether it was added, which takes UTF-8, and room.
  @discardableResult
  public mutating func addField(_ name: ByteString, _ value: ByteString) -> Bool {
    let former = furtherAttributes[Self.fieldsTag]
    if let former, !TextMembers.isNormal(former) { return false }
    let present = Secret(copying: former ?? "")
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

  /// The tags of attributes that are lists. Two items that become one have what either has.
  package static let listTags: [ByteString] = [addressTag, fieldsTag, tagsTag]

  /// Whether every address, field and tag of another item is here, too.
  package func hasAllInLists(of other: Item) -> Bool {
    let mine = fields
    if let odd = other.oddFields, odd != furtherAttributes[Self.fieldsTag] { return false }
    return other.addresses.allSatisfy(addresses.contains) && other.tags.allSatisfy(tags.contains)
      && other.fields.allSatisfy { field in mine.contains { $0 == field } }
  }

  /// Adds the addresses, fields and tags that another item has. A field that both have is as there.
  package mutating func takeLists(of other: Item) {
    for address in other.addresses { addAddress(address) }
    tags += other.tags.filter { !tags.contains($0) }
    let (mine, theirs) = (fields, other.fields)
    if let odd = other.oddFields ?? (mine.isEmpty ? other.furtherAttributes[Self.fieldsTag] : nil) {
      return furtherAttributes[Self.fieldsTag] = odd
    }
    if theirs.isEmpty { return }
    let former = furtherAttributes[Self.fieldsTag]
    furtherAttributes[Self.fieldsTag] = nil
    let new = theirs.filter { field in !mine.contains { $0.name == field.name } }
    let all = mine.map { field in theirs.first { $0.name == field.name } ?? field } + new
    // If there is no room for all, nothing goes.
    if !all.allSatisfy({ addField($0.name, $0.value) }) { furtherAttributes[Self.fieldsTag] = former }
  }

  /// What another program has put where fields belong.
  private var oddFields: ByteString? {
    furtherAttributes[Self.fieldsTag].flatMap { TextMembers.isNormal($0) ? nil : $0 }
  }

  static let fieldsTag: ByteString = "flds"
  static let tagsTag: ByteString = "tags"
}
