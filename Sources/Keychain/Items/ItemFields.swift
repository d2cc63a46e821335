import Bytes

extension Item {
  /// Fields that a person named and that aren't confidential. Confidential ones are in ``FurtherSecrets``.
  public var fields: [(name: ByteString, value: ByteString)] {
    var all: [(ByteString, ByteString)] = []
    guard let fields = furtherAttributes[Self.fieldsTag], TextMembers.isNormal(fields) else { return [] }
    fields.bytes.withUnsafeBytes { TextMembers.forEach(in: $0) { all.append(($0, ByteString($1))) } }
    return all
  }

  /// Adds a field. If the name is taken, it gets a number.
  ///
  /// - Returns: whether it was added: name and value must be UTF-8, and there must be room.
  @discardableResult
  public mutating func addField(_ name: ByteString, _ value: ByteString) -> Bool {
    addFields([(name, value)]).isEmpty
  }

  /// The same for several. Returns the names of those that weren't added.
  package mutating func addFields(_ fields: [(name: ByteString, value: ByteString)]) -> [ByteString] {
    if fields.isEmpty { return [] }
    let former = furtherAttributes[Self.fieldsTag]
    if let former, !TextMembers.isNormal(former) { return fields.map(\.name) }
    var members = TextMembersBuilder(Secret(copying: former ?? ""))
    var left: [ByteString] = []
    for (name, value) in fields {
      let isAdded = value.bytes.withUnsafeBytes {
        members.addField(name, $0, limit: ItemBounds.attribute)
      }
      if !isAdded { left.append(name) }
    }
    if !members.isEmpty {
      furtherAttributes[Self.fieldsTag] = members.text.withUnsafeBytes { ByteString($0) }
    }
    return left
  }

  /// A person's names for filing it: tags, or folders.
  public var tags: [ByteString] {
    get { furtherAttributes[Self.tagsTag]?.bytes.split(separator: 0x0a).map { ByteString(Array($0)) } ?? [] }
    set {
      let text = newValue.map(\.bytes).joined(separator: [0x0a])
      furtherAttributes[Self.tagsTag] = newValue.isEmpty ? nil : ByteString(Array(text))
    }
  }

  /// The tags of attributes that are lists. Two items that become one have the entries of both.
  package static let listTags: [ByteString] = [addressTag, fieldsTag, tagsTag]

  package func hasAllInLists(of other: Item) -> Bool {
    let mine = fields
    if let odd = other.oddFields, odd != furtherAttributes[Self.fieldsTag] { return false }
    return other.addresses.allSatisfy(addresses.contains) && other.tags.allSatisfy(tags.contains)
      && other.fields.allSatisfy { field in mine.contains { $0 == field } }
  }

  /// Adds another item's addresses, fields and tags. Of a field that both have, its value is the other's.
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
    let (known, newer) = (
      Set(mine.map(\.name)), Dictionary(theirs.map { ($0.name, $0.value) }) { first, _ in first }
    )
    let all = mine.map { ($0.name, newer[$0.name] ?? $0.value) } + theirs.filter { !known.contains($0.name) }
    // Without room for all, nothing goes.
    if !addFields(all).isEmpty { furtherAttributes[Self.fieldsTag] = former }
  }

  /// Another program's data in the place of fields.
  private var oddFields: ByteString? {
    furtherAttributes[Self.fieldsTag].flatMap { TextMembers.isNormal($0) ? nil : $0 }
  }

  static let fieldsTag: ByteString = "flds"
  static let tagsTag: ByteString = "tags"
}
