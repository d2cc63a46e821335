import Keychain

extension SecretServiceKeychain {
  /// Tells the service. Returns the item as the service has it then; `nil` if it is gone.
  func send(_ change: Change) throws(KeychainError) -> Item? {
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
    let item = ItemAttributes.item(of: try storedItem(at: path))
    if let item, change.before != nil, !item.saysTheSame(as: after) {
      return try replace(item, with: after, change)
    }
    return item
  }

  /// Puts a new item in the place of one whose attributes the service has not changed as it was told to: KeePassXC adds
  /// attributes and takes none away.
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
    let path = try createItem(after, new, replacing: stored?.attributes ?? [:])
    if let reference = item.reference { try deleteItem(at: StoredItem.path(of: reference)) }
    seen[path] = nil
    return ItemAttributes.item(of: try storedItem(at: path))
  }

  private func createItem(
    _ item: Item, _ change: Change, replacing existing: [String: String] = [:]
  ) throws(KeychainError) -> String {
    let attributes = ItemAttributes.attributes(of: item, replacing: existing)
    guard let body = change.body(as: SecretBody.Form(of: attributes)) else { throw .itemNotFound }
    let collection = try collectionForNewItems()
    // KeePassXC would make it when a person unlocks, whenever that is.
    if try isLocked(collection) { try unlock([collection], named: collectionName(of: collection)) }
    let session = try openSession()
    let reply = try unlocking(collection) { () throws(BusFailure) in
      // `replace` would match by a subset of the attributes, and take away an item of another path or port.
      try service.bus.call(
        service.call(
          "CreateItem", of: Service.collectionInterface, at: collection,
          Argument.properties([
            (Service.itemInterface + ".Label", Argument.text(ItemAttributes.label(of: item))),
            (Service.itemInterface + ".Attributes", Argument.texts(attributes)),
          ]), session.seal(body), Argument.bool(false))
      ).expected("(oo)", from: "CreateItem", isRefusal: true)
    }
    if reply[0].text != Service.none { return reply[0].text }
    let completed = try run(prompt: reply[1].text, for: "CreateItem") { dismissed in
      // What KeePassXC has made before it found a part that it doesn't take.
      if dismissed.text.hasPrefix(collection + "/") { try? deleteItem(at: dismissed.text) }
    }
    let path = completed.text
    if path.isEmpty { throw .refused(call: "CreateItem", error: "", detail: "the prompt gave no item") }
    return path
  }

  private func changeItem(at path: String, to item: Item, _ change: Change) throws(KeychainError) {
    let stored = try storedItem(at: path)
    // Another one may have the path where the service was started anew in the middle of several changes.
    if stored.reference != change.before?.reference { throw .itemNotFound }
    let attributes = ItemAttributes.attributes(of: item, replacing: stored.attributes)
    var tellsOthers = false
    if let body = try body(of: change, as: SecretBody.Form(of: attributes), insteadOf: stored) {
      let session = try openSession()
      try unlocking(path) { () throws(BusFailure) in
        _ = try service.bus.call(
          service.call("SetSecret", of: Service.itemInterface, at: path, session.seal(body)))
      }
      tellsOthers = true
    }
    let changesAttributes = !attributes.isExactly(stored.attributes)
    if changesAttributes {
      try unlocking(path) { () throws(BusFailure) in
        try service.set("Attributes", ofItem: path, to: Argument.texts(attributes))
      }
      tellsOthers = false
    }
    // A label that another program made stays as long as it says the same.
    if ItemAttributes.item(of: stored)?.label != item.label || changesAttributes {
      let label = ItemAttributes.label(of: item)
      if !label.utf8.elementsEqual(stored.label.utf8) {
        try unlocking(path) { () throws(BusFailure) in
          try service.set("Label", ofItem: path, to: Argument.text(label))
        }
        tellsOthers = false
      }
    }
    // gnome-keyring tells nobody of a new secret, and of a label that is set everybody.
    if tellsOthers {
      try? reporting { () throws(BusFailure) in
        try service.set("Label", ofItem: path, to: Argument.text(stored.label))
      }
    }
  }

  /// What is to be stored as the secret; `nil` if that stays, which it can't where an item of another class has
  /// another form.
  private func body(
    of change: Change, as form: SecretBody.Form, insteadOf stored: StoredItem
  ) throws(KeychainError) -> Secret? {
    if let body = change.body(as: form) { return body }
    guard let before = change.before, form != SecretBody.Form(of: stored.attributes) else { return nil }
    return SecretBody.encode(try credential(of: before), as: form)
  }

  private func deleteItem(at path: String) throws(KeychainError) {
    seen[path] = nil
    do throws(KeychainError) {
      let reply = try unlocking(path) { () throws(BusFailure) in
        try service.bus.call(service.call("Delete", of: Service.itemInterface, at: path))
          .expected("(o)", from: "Delete", isRefusal: true)
      }
      let prompt = reply[0].text
      if prompt != Service.none { _ = try run(prompt: prompt, for: "Delete") }
    } catch .itemNotFound {
      return
    }
  }
}

extension Item {
  /// Whether both have the same key and notes, whatever their labels.
  fileprivate func saysTheSame(as other: Item) -> Bool {
    var other = other
    other.label = label
    return key == other.key && hasSameNotes(as: other)
  }
}

extension [String: String] {
  /// Whether both are the same bytes. Strings are equal already where Unicode takes them for the same text.
  fileprivate func isExactly(_ other: [String: String]) -> Bool {
    count == other.count
      && allSatisfy { name, value in other[name].map { value.utf8.elementsEqual($0.utf8) } ?? false }
  }
}
