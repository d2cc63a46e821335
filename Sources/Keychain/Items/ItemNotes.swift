extension Item {
  /// Whether both have the same attributes beyond key, dates and reference.
  package func hasSameNotes(as other: Item) -> Bool {
    label == other.label && comment == other.comment && itemDescription == other.itemDescription
      && creator == other.creator && type == other.type && isDefault == other.isDefault
      && furtherAttributes == other.furtherAttributes && secretService == other.secretService
  }

  /// The item with `other`'s attributes beyond the key, as far as `other` has them.
  package func taking(notesOf other: Item) -> Item {
    var item = self
    item.label = other.label ?? label
    item.comment = other.comment ?? comment
    item.itemDescription = other.itemDescription ?? itemDescription
    item.creator = other.creator ?? creator
    item.type = other.type ?? type
    item.isDefault = other.isDefault || isDefault
    other.furtherAttributes.forEach { tag, value in
      if !Item.listTags.contains(tag) { item.furtherAttributes[tag] = value }
    }
    item.takeLists(of: other)
    item.secretService.collection = other.secretService.collection ?? secretService.collection
    item.secretService.lookup = other.secretService.lookup ?? secretService.lookup
    item.secretService.contentType = other.secretService.contentType ?? secretService.contentType
    return item
  }
}
