import Bytes
import Keychain
import SecretService

extension Provider {
  /// The methods of a collection (Secret Service draft 0.2, "org.freedesktop.Secret.Collection").
  func answer(_ call: MethodCall, of collection: ServedCollection) throws(ServiceError) {
    switch call.member {
    case "Delete":
      try call.arguments()
      try delete(collection, call)
    case "SearchItems":
      let wanted = try attributes(try call.arguments()[0])
      try answerSearch(wanted, in: collection.name, for: call) { unlocked, locked in
        call.answer([Argument.paths(unlocked + locked)])
      }
    case "CreateItem": try createItem(in: collection, call)
    default: throw .unknownMethod
    }
  }

  /// A collection's name in the records of items; `nil` for the login collection.
  private func recordName(_ collection: ByteString) -> ByteString? {
    collection == CollectionName.login ? nil : collection
  }

  // MARK: Items

  private func createItem(in collection: ServedCollection, _ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments()
    let shown = try self.shown(arguments[0])
    let (body, contentType) = try secret(arguments[1], from: call.sender)
    var new = shown
    new.contentType = contentType
    let replaces = arguments[2].bool
    if collection.name == CollectionName.session {
      return try createVolatileItem(new, body, replaces: replaces, call)
    }
    try requireUnlocked(collection.name)
    let finished = new
    // The item to be replaced may be another program's.
    let replaced = replaces ? holdings.replaced(by: new.attributes, in: collection.name) : nil
    try whenAllowed(replaced.map { [$0] } ?? [], call) { [self] () throws(ServiceError) in
      try store(finished, body, replaces: replaces, call)
    }
  }

  private func store(
    _ finished: ItemTranslation.Shown, _ body: SharedSecret, replaces: Bool, _ call: MethodCall
  ) throws(ServiceError) {
    let subject: ChangeSubject = replaces ? .replacing(finished.attributes) : .new(finished.attributes)
    try change(call, of: subject) { [self] () throws(ServiceError) in
      guard case .collection(let collection) = object(at: call.path, for: call.sender) else {
        throw .unknownObject
      }
      try requireUnlocked(collection.name)
      let served = replaces ? holdings.replaced(by: finished.attributes, in: collection.name) : nil
      // Another program has made it meanwhile.
      if let served, isAllowed(served, call.sender) != true { throw .accessDenied("it isn't this program's") }
      let replaced = served?.item
      let (name, isExact) = (recordName(collection.name), isExact)
      return { (keychain) throws(KeychainError) in
        try ClientChanges.store(
          finished, body, in: name, replacing: replaced, isExact: isExact,
          mayReplaceLogin: replaces && !isExact, in: keychain)
      }
    } finish: { [self] item in
      let path = took(item)
      // A person may have allowed storing it, but not listing it.
      if settings.freshness != nil { allowOnce(path, by: nil, for: AllowedOnce.timeStored) }
      if let served = holdings.items[path] {
        call.concerns = [served]
        permitOwn(served, call.sender)
      }
      call.answer([Argument.path(path), Argument.path(ObjectPath.none)])
    } refuse: { error in
      call.refuse(error.ofOther(if: !ItemTranslation.isLogin(finished, body.secret)))
    }
  }

  /// Takes an item that was stored, and announces it. Returns its path.
  @discardableResult
  func took(_ item: Item) -> String {
    let served = ServedItem(item, standard: CollectionName.login)
    let path = served?.path ?? ObjectPath.none
    let before = holdings.items[path]
    holdings.put(item)
    noteChange(at: path)
    guard let served else { return path }
    if before == nil {
      signalCreated(served)
    } else if before?.item != item {
      signalReplaced(served)
    }
    return path
  }

  /// The limits of the collection in memory: items, and bytes of all secrets and attributes.
  private static let volatileItems = 10_000
  private static let volatileSize = 16 << 20

  private func createVolatileItem(
    _ shown: ItemTranslation.Shown, _ body: SharedSecret, replaces: Bool, _ call: MethodCall
  ) throws(ServiceError) {
    try refuseVolatile(shown, body)
    guard volatileSecrets.count < Self.volatileItems else {
      throw .limitsExceeded("too much is kept in memory")
    }
    let replaced = replaces ? holdings.replaced(by: shown.attributes, in: CollectionName.session) : nil
    let item =
      replaced.map { ServedItem($0, showing: shown, at: .now) }
      ?? ServedItem(shown, named: ClientChanges.newName(), in: CollectionName.session, at: .now)
    volatileSecrets[item.path] = body
    holdings.put(item)
    if replaced == nil { signalCreated(item) } else { signalReplaced(item) }
    call.answer([Argument.path(item.path), Argument.path(ObjectPath.none)])
  }

  /// - Throws: ``ServiceError`` if an item is too large, or memory would hold too much with it.
  func refuseVolatile(_ shown: ItemTranslation.Shown, _ body: SharedSecret) throws(ServiceError) {
    let answer = ItemTranslation.other(shown, body.secret, in: CollectionName.session, named: "")
    do throws(KeychainError) {
      try answer.item.validate(with: answer.credential)
    } catch {
      throw ServiceError(error)
    }
    let size = Self.size(of: shown) + body.secret.count
    let others = volatileSecrets.reduce(0) { sum, entry in
      sum + entry.value.secret.count + (holdings.items[entry.key].map { Self.size(of: $0.shown) } ?? 0)
    }
    if others + size > Self.volatileSize { throw .limitsExceeded("too much is kept in memory") }
  }

  private static func size(of shown: ItemTranslation.Shown) -> Int {
    shown.attributes.all.reduce(shown.label.utf8.count + shown.contentType.utf8.count) {
      $0 + $1.name.bytes.count + $1.value.bytes.count
    }
  }

  // MARK: Collections

  /// Makes a collection, or finds the one with the given alias.
  func createCollection(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments()
    let alias = arguments[1].text
    let label = try BusProperty.given(arguments[0], of: Interface.collection)["Label"]?.text ?? ""
    if let existing = holdings.collection(alias: alias) {
      return call.answer([Argument.path(ObjectPath.collection(existing)), Argument.path(ObjectPath.none)])
    }
    if !alias.isEmpty { throw .notSupported("there are the aliases 'default', 'login' and 'session'") }
    try requireUnlocked()
    try changeCollection(call, label: label) { [self] () throws(ServiceError) in
      try requireUnlocked()
      return freeName(for: label)
    } finish: { [self] name in
      signalCollectionCreated(name)
      call.answer([Argument.path(ObjectPath.collection(name)), Argument.path(ObjectPath.none)])
    }
  }

  /// Makes a collection, or changes its record.
  ///
  /// - Parameters:
  ///   - prepare: determines its name, or that there is nothing to change, when its turn comes.
  ///   - finish: announces it, and answers the call.
  func changeCollection(
    _ call: MethodCall, label: String?, isDefault: Bool? = nil,
    prepare: @escaping () throws(ServiceError) -> ByteString?, finish: @escaping (ByteString) -> Void
  ) throws(ServiceError) {
    try change(call) { () throws(ServiceError) in
      let name = try prepare()
      return { (keychain) throws(KeychainError) -> (ByteString, [Item]) in
        guard let name else { return ("", []) }
        return (name, try ClientChanges.putCollection(name, label: label, isDefault: isDefault, in: keychain))
      }
    } finish: { [self] (name, records: [Item]) in
      for record in records { holdings.put(record) }
      finish(name)
    } refuse: { error in
      call.refuse(error.ofOther(if: true))
    }
  }

  /// The longest name of a collection, in bytes.
  private static let longestName = 64

  /// An unused name for a new collection. It is made from the label as gnome-keyring does it, so that a collection
  /// moved from there keeps its name; a number is added if the name is taken.
  private func freeName(for label: String) -> ByteString {
    var name = label.utf8.prefix(Self.longestName).map { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: byte
      default: UInt8(ascii: "_")
      }
    }
    if name.isEmpty { name = Array("collection".utf8) }
    let isTaken = { [holdings] (name: ByteString) in
      holdings.collections[name] != nil || holdings.collection(alias: name.description) != nil
    }
    var number = 1
    var free = ByteString(name)
    while isTaken(free) {
      number += 1
      free = ByteString(name + Array("_\(number)".utf8))
    }
    return free
  }

  private func delete(_ collection: ServedCollection, _ call: MethodCall) throws(ServiceError) {
    if collection.name == CollectionName.login || collection.name == CollectionName.session {
      throw .notSupported("this collection can't be deleted")
    }
    let name = collection.name
    try change(call) { [self] () throws(ServiceError) in
      try requireUnlocked(name)
      var only: [Item]?
      if settings.asking != nil {
        // More may have been stored in it since the question.
        let items = items(in: name)
        guard allowed(items, call.sender).count == items.count else {
          throw .accessDenied("it has items of other programs")
        }
        only = items.compactMap(\.item)
      }
      return { [only] (keychain) throws(KeychainError) in
        try ClientChanges.deleteCollection(name, only, in: keychain)
      }
    } finish: { [self] in
      holdings.remove(collection: name)
      lockedCollections.remove(name)
      signalCollectionDeleted(name)
      call.answer([Argument.path(ObjectPath.none)])
    }
  }

  func items(in collection: ByteString) -> [ServedItem] {
    holdings.paths(in: collection).compactMap { holdings.items[$0] }
  }

  func setLabel(_ label: String, of collection: ServedCollection, _ call: MethodCall) throws(ServiceError) {
    if collection.name == CollectionName.session { throw .notSupported("this label can't be changed") }
    let name = collection.name
    try changeCollection(call, label: label) { [self] () throws(ServiceError) in
      try requireUnlocked(name)
      return name
    } finish: { [self] _ in
      signalCollectionChanged(name, label: label)
      call.answer()
    }
  }

  // MARK: Arguments

  /// The properties of a new item; missing ones are empty.
  private func shown(_ properties: TypedVariant) throws(ServiceError) -> ItemTranslation.Shown {
    let given = try BusProperty.given(properties, of: Interface.item)
    var shown = ItemTranslation.Shown(
      attributes: try given["Attributes"].map(attributes) ?? LookupAttributes(),
      label: given["Label"]?.text ?? "", contentType: ItemTranslation.plainText)
    // A schema among the attributes takes precedence.
    if let type = given["Type"], shown.type.isEmpty { shown.type = type.text }
    return shown
  }
}

extension ItemTranslation.Shown {
  /// The item's schema, which older programs set and read as a separate property. An empty one is none.
  var type: String {
    get { attributes["xdg:schema"]?.text ?? "" }
    set { attributes["xdg:schema"] = newValue.isEmpty ? nil : ByteString(newValue) }
  }
}
