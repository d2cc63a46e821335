extension Item {
  /// Whether both have the same attributes beyond key, dates and reference.
  package func hasSameNotes(as other: Item) -> Bool {
    Item.Attribute.notes.allSatisfy { self[$0] == other[$0] } && furtherAttributes == other.furtherAttributes
      && secretService.lookup == other.secretService.lookup
  }

  /// The item with `other`'s attributes beyond the key, as far as `other` has them.
  package func taking(notesOf other: Item) -> Item {
    var item = self
    for attribute in Item.Attribute.notes { item[attribute] = other[attribute] ?? item[attribute] }
    other.furtherAttributes.forEach { tag, value in
      if !Item.listTags.contains(tag) { item.furtherAttributes[tag] = value }
    }
    item.takeLists(of: other)
    item.secretService.lookup = other.secretService.lookup ?? secretService.lookup
    return item
  }
}
