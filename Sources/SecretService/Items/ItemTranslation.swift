package import Bytes
package import Keychain

/// Translates between a keychain's items and a service that serves the keychain. Both directions match this program's
/// client, which therefore finds in one what it stored in the other.
package enum ItemTranslation {
  /// An item in a service.
  package struct Shown {
    /// The attributes that identify it for programs.
    package var attributes: LookupAttributes
    package var label: String
    package var contentType: String

    package init(attributes: LookupAttributes, label: String, contentType: String) {
      self.attributes = attributes
      self.label = label
      self.contentType = contentType
    }
  }

  /// An item of a keychain as programs see it.
  package static func shown(_ item: Item) -> Shown {
    let given = item.secretService.lookup
    let contentType = item.secretService.contentType?.text ?? plainText
    if case .secretService = item.key {
      let label = item.label?.text ?? ""
      return Shown(attributes: given ?? LookupAttributes(), label: label, contentType: contentType)
    }
    let texts = given.map(texts) ?? [:]
    // They stay as a program gave them, while they mean the same item.
    let unchanged = given.flatMap { ItemAttributes.key(of: texts) == item.key ? $0 : nil }
    // A tool's own helper looks for its own attributes.
    let made =
      (given == nil ? ToolHelperItems.attributes(of: item.key, label: item.label) : nil)
      ?? ItemAttributes.attributes(of: item, replacing: texts)
    return Shown(
      attributes: unchanged ?? LookupAttributes(made),
      // A program may have given an empty one, and another shows its own.
      label: item.label?.isEmpty == true ? "" : ItemAttributes.label(of: item), contentType: contentType)
  }

  /// The item for a program's attributes, with its credential: a login if they describe one and all values can be
  /// recovered byte for byte, otherwise an item of the Secret Service alone.
  ///
  /// - Parameters:
  ///   - body: the secret from the program.
  ///   - collection: the item's collection; `nil` for the login collection.
  ///   - name: the name of the item if it isn't a login.
  package static func item(
    _ shown: Shown, _ body: borrowing Secret, in collection: ByteString?, orNamed name: ByteString
  ) -> Answer {
    switch login(shown, body, in: collection) {
    case .some(let login): return login
    case .none: return other(shown, body, in: collection, named: name)
    }
  }

  /// The same for an item that is no login, or must not be one because another item has its key.
  package static func other(
    _ shown: Shown, _ body: borrowing Secret, in collection: ByteString?, named name: ByteString
  ) -> Answer {
    var item = Item(SecretServiceItem(.item, name: name).item.key)
    item.label = shown.label.isEmpty ? nil : ByteString(shown.label)
    item.secretService = kept(shown, in: collection)
    return Answer(item: item, credential: Credential(body.copy()))
  }

  /// Whether a program's attributes and secret are a login.
  package static func isLogin(_ shown: Shown, _ body: borrowing Secret) -> Bool {
    switch login(shown, body, in: nil) {
    case .some: true
    case .none: false
    }
  }

  /// A program's search as a tool's query; `nil` unless its attributes describe a login.
  package static func question(_ attributes: LookupAttributes) -> ItemQuery? {
    let key = ItemAttributes.key(of: texts(attributes))
    switch key {
    case .internetPassword?, .genericPassword?: return key.flatMap { try? ItemQuery(for: $0) }
    case .cryptographic?, .secretService?, nil: return nil
    }
  }

  private static func login(
    _ shown: Shown, _ body: borrowing Secret, in collection: ByteString?
  ) -> Answer? {
    let texts = texts(shown.attributes)
    let stored = StoredItem(path: "/", attributes: texts, label: shown.label)
    // Two names that are equal for Unicode are still two attributes.
    guard texts.count == shown.attributes.all.count, var item = ItemAttributes.item(of: stored) else {
      return nil
    }
    if case .secretService = item.key { return nil }
    item.reference = nil
    item.secretService = kept(shown, in: collection)
    // A label that reads like one made from the key replaces no other.
    if !ItemAttributes.label(of: item).utf8.elementsEqual(shown.label.utf8) {
      item.label = ByteString(shown.label)
    }
    let credential = SecretBody.decode(body, as: SecretBody.Form(of: texts))
    do throws(KeychainError) {
      try item.validateKey()
      try item.validate(with: credential)
    } catch {
      return nil
    }
    let again = ItemTranslation.shown(item)
    guard again.label.utf8.elementsEqual(shown.label.utf8), again.contentType == shown.contentType,
      [true, false].contains(where: {
        SecretBody.encode(credential, as: SecretBody.Form(of: texts), isText: $0).isEqual(to: body)
      })
    else { return nil }
    return Answer(item: item, credential: credential)
  }

  /// The item without values that its other attributes repeat, so that a login of this program is the same whether it
  /// was in a service or not.
  static func withoutRepetition(_ item: Item, _ shown: Shown, _ body: borrowing Secret) -> Item {
    if item.key.secretServiceItem != nil { return item }
    var plain = item
    plain.secretService.lookup = nil
    plain.secretService.contentType = nil
    guard ItemAttributes.label(of: plain).utf8.elementsEqual(shown.label.utf8),
      LookupAttributes(ItemAttributes.attributes(of: plain)) == shown.attributes,
      [plainText, ServiceSession.contentType(of: body)].contains(shown.contentType)
    else { return item }
    return plain
  }

  /// The form in a service of an item that is written unchanged; `nil` if the item's own attributes say everything.
  static func written(_ item: Item) -> Shown? {
    guard let given = item.secretService.lookup else {
      return item.key.secretServiceItem == nil ? nil : shown(item)
    }
    var shown = shown(item)
    if item.key.secretServiceItem != nil { return shown }
    // A person's notes on a login are included.
    let texts = texts(given)
    var described = ItemAttributes.item(of: StoredItem(path: "/", attributes: texts, label: shown.label))
    described?.secretService = item.secretService
    if let described, !described.saysTheSame(as: item) {
      shown.attributes = LookupAttributes(ItemAttributes.attributes(of: item, replacing: texts))
    }
    return shown
  }

  /// The attributes of an item that is added to a service unchanged.
  static func attributes(of item: Item) -> LookupAttributes {
    written(item)?.attributes ?? LookupAttributes(ItemAttributes.attributes(of: item))
  }

  /// The secret of a served item for programs: a program that asks for a password gets neither the secret of its
  /// one-time codes nor hidden fields.
  package static func bodyForPrograms(of item: Item, _ credential: borrowing Credential) -> Secret {
    var plain = credential.copy()
    plain.further = FurtherSecrets()
    return body(of: item, plain)
  }

  /// The secret of an item with everything that belongs to it.
  package static func body(of item: Item, _ credential: borrowing Credential) -> Secret {
    if case .secretService = item.key { return credential.secret.copy() }
    return SecretBody.encode(credential, as: SecretBody.Form(of: texts(shown(item).attributes)))
  }

  private static func kept(_ shown: Shown, in collection: ByteString?) -> SecretServiceAttributes {
    SecretServiceAttributes(
      collection: collection, lookup: shown.attributes,
      contentType: shown.contentType == plainText ? nil : ByteString(shown.contentType))
  }

  private static func texts(_ lookup: LookupAttributes) -> [String: String] {
    var texts: [String: String] = [:]
    for attribute in lookup.all { texts[attribute.name.description] = attribute.value.description }
    return texts
  }

  /// The default content type.
  package static let plainText = "text/plain"
}
