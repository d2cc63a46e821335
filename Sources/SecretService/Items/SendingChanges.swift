import Keychain

extension SecretServiceKeychain {
  /// Sends a change to the service. Returns the item's new state in the service; `nil` if it was deleted.
  func send(_ change: Change) throws(KeychainError) -> Item? {
    let keepsKey = change.before?.key.primaryKey == change.after?.key.primaryKey
    try retakeLock(for: keepsKey ? nil : change.after, except: change.before?.reference)
    guard let after = change.after else {
      if let reference = change.before?.reference { try deleteItem(at: StoredItem.path(of: reference)) }
      return nil
    }
    let path: String
    if let before = change.before, let reference = before.reference {
      path = StoredItem.path(of: reference)
      try changeItem(at: path, to: after, change)
    } else {
      path = try createItem(after, change)
    }
    seen[path] = nil
    if let written = written(after) {
      return try madeItem(at: path) { stored, _ in stored.lookup.includes(written.attributes) }
    }
    if change.before == nil { return try madeItem(at: path) { $1.key == after.key } }
    let item = ItemAttributes.item(of: try storedItem(at: path))
    if let item, !item.saysTheSame(as: after) { return try replace(item, with: after, change) }
    return item
  }

  /// The service's form of an item that is written unchanged; `nil` if its own attributes determine the form.
  private func written(_ item: Item) -> ItemTranslation.Shown? {
    settings.includesOtherItems ? ItemTranslation.written(item) : nil
  }

  /// The item made or changed by the service.
  ///
  /// - Throws: ``KeychainError/refused(call:error:detail:)`` if it doesn't exist or isn't as requested. It is then left
  ///   alone, because the service may have named another item.
  private func madeItem(
    at path: String, _ isRight: (StoredItem, Item) -> Bool
  ) throws(KeychainError) -> Item {
    do throws(KeychainError) {
      let stored = try storedItem(at: path)
      if let made = item(of: stored), isRight(stored, made) { return made }
    } catch .itemNotFound {
      throw .refused(call: "CreateItem", error: "", detail: "the item that it names is not there")
    }
    throw .refused(call: "CreateItem", error: "", detail: "the item that it names is not as it was to be")
  }

  /// Replaces an item by a new one if the service hasn't changed its attributes as requested: KeePassXC adds attributes
  /// and removes none.
  private func replace(_ item: Item, with after: Item, _ change: Change) throws(KeychainError) -> Item? {
    let new: Change
    if let credential = change.copyOfCredential() {
      new = Change(before: nil, after: after, credential: credential)
    } else {
      new = Change(before: nil, after: after, credential: try credential(of: item))
    }
    let stored = try item.reference.map { (reference) throws(KeychainError) in
      try storedItem(at: StoredItem.path(of: reference))
    }
    let path = try createItem(after, new, replacing: stored?.attributes ?? [:], of: item.reference)
    seen[path] = nil
    let made = try madeItem(at: path) { $1.saysTheSame(as: after) }
    if let reference = item.reference { try deleteItem(at: StoredItem.path(of: reference)) }
    return made
  }

  private func createItem(
    _ item: Item, _ change: Change, replacing existing: [String: String] = [:],
    of former: ItemReference? = nil
  ) throws(KeychainError) -> String {
    let written = written(item)
    let described = ItemAttributes.attributes(of: item, replacing: existing)
    let collection = try collection(for: item)
    let content = try surviving(in: collection) { (isText) -> Secret? in
      if written != nil { return isText ? change.body(of: item) : nil }
      return change.body(as: SecretBody.Form(of: described), isText: isText)
    }
    guard let body = content else { throw .itemNotFound }
    // KeePassXC would make the item when a person unlocks the database, however late.
    if try isLocked(collection) { try unlock([collection], named: collectionName(of: collection)) }
    try retakeLock(for: item, except: former)
    let (made, prompt) = try sending(collection) { () throws(BusFailure) in
      try create(
        label: written?.label ?? ItemAttributes.label(of: item),
        written?.attributes ?? LookupAttributes(described), body, as: contentType(of: item), in: collection)
    }
    if made != ObjectPath.none { return made }
    let present = try reporting(items(of: collection))
    let completed = try run(prompt: prompt, for: "CreateItem") { dismissed in
      // KeePassXC made this item before it encountered a part that it refuses.
      if let path = try? dismissed.checked(as: "o", of: "Completed").text, path.hasPrefix(collection + "/"),
        !present.contains(path)
      {
        try? deleteItem(at: path)
      }
    }
    return try reporting(refusing(completed.checked(as: "o", of: "Completed").text))
  }

  private func changeItem(at path: String, to item: Item, _ change: Change) throws(KeychainError) {
    let stored = try storedItem(at: path)
    // Another item may have the path if the service was restarted in the middle of several changes.
    if stored.reference != change.before?.reference { throw .itemNotFound }
    if let written = written(item) { return try changeItem(stored, to: item, written, change) }
    let attributes = ItemAttributes.attributes(of: item, replacing: stored.attributes)
    var tellsOthers = false
    if let body = try body(of: change, as: SecretBody.Form(of: attributes), insteadOf: stored) {
      try sending(path) { () throws(BusFailure) in try set(body, at: path) }
      tellsOthers = true
    }
    let changesAttributes = !attributes.isExactly(stored.attributes)
    if changesAttributes {
      try sending(path) { () throws(BusFailure) in
        try service.set("Attributes", ofItem: path, to: Argument.texts(attributes))
      }
      tellsOthers = false
    }
    // A label from another program is kept as long as its meaning is unchanged.
    if ItemAttributes.item(of: stored)?.label != item.label || changesAttributes {
      let label = ItemAttributes.label(of: item)
      if !label.utf8.elementsEqual(stored.label.utf8) {
        try sending(path) { () throws(BusFailure) in
          try service.set("Label", ofItem: path, to: Argument.text(label))
        }
        tellsOthers = false
      }
    }
    try refuseLocked(afterChangeAt: path)
    // gnome-keyring announces a label that is set, but not a new secret.
    if tellsOthers {
      try? reporting(service.set("Label", ofItem: path, to: Argument.text(stored.label)))
    }
  }

  /// Restores an item's state from elsewhere.
  private func changeItem(
    _ stored: StoredItem, to item: Item, _ written: ItemTranslation.Shown, _ change: Change
  ) throws(KeychainError) {
    if let body = try surviving(
      in: Self.collection(of: stored.path), { isText in isText ? change.body(of: item) : nil })
    {
      let contentType = contentType(of: item)
      try sending(stored.path) { () throws(BusFailure) in try set(body, at: stored.path, as: contentType) }
    }
    if !stored.lookup.includes(written.attributes) {
      try sending(stored.path) { () throws(BusFailure) in
        try service.set("Attributes", ofItem: stored.path, to: Argument.attributes(written.attributes))
      }
    }
    // Even if it is the same: gnome-keyring announces a label that is set, but not a new secret.
    try sending(stored.path) { () throws(BusFailure) in
      try service.set("Label", ofItem: stored.path, to: Argument.text(written.label))
    }
    try refuseLocked(afterChangeAt: stored.path)
  }

  /// The content type from a program; without one, the service is told a suitable one.
  private func contentType(of item: Item) -> String? {
    settings.includesOtherItems ? item.secretService.contentType?.text : nil
  }

  /// The secret to store; `nil` if it is unchanged, which is impossible if the item's new class has another form.
  private func body(
    of change: Change, as form: SecretBody.Form, insteadOf stored: StoredItem
  ) throws(KeychainError) -> Secret? {
    let collection = Self.collection(of: stored.path)
    let body = try surviving(in: collection) { isText in change.body(as: form, isText: isText) }
    if let body { return body }
    guard let before = change.before, form != SecretBody.Form(of: stored.attributes) else { return nil }
    let credential = try credential(of: before)
    return try surviving(in: collection) { isText in SecretBody.encode(credential, as: form, isText: isText) }
  }

  private func deleteItem(at path: String) throws(KeychainError) {
    defer { seen[path] = nil }
    do throws(KeychainError) {
      let prompt = try sending(path) { () throws(BusFailure) in
        let reply = try service.bus.call(service.call("Delete", of: Interface.item, at: path))
        return try refusing(reply.checked(as: "(o)", of: "Delete")[0].text)
      }
      if prompt == ObjectPath.none { return try refuseLocked(afterChangeAt: path) }
      _ = try run(prompt: prompt, for: "Delete")
      let isThere = try reporting(!service.items(at: [path]).isEmpty)
      if isThere { throw .refused(call: "Delete", error: "", detail: "the item is there all the same") }
    } catch .itemNotFound {
      return
    }
  }
}

extension Item {
  /// Whether both have the same key and notes, regardless of their labels.
  func saysTheSame(as other: Item) -> Bool {
    var other = other
    other.label = label
    return key == other.key && hasSameNotes(as: other)
  }
}

extension [String: String] {
  /// Whether both have the same bytes. Strings are equal if they are for Unicode.
  fileprivate func isExactly(_ other: [String: String]) -> Bool {
    count == other.count
      && allSatisfy { name, value in other[name].map { value.utf8.elementsEqual($0.utf8) } ?? false }
  }
}
