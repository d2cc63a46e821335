import CSecret
import Keychain
import SecretService

extension Provider {
  /// A collection with more items is announced as changed, without the list of its items.
  private static let listLimit = 256

  private func emitProperties(
    _ interface: String, at path: String, _ properties: [Property], without: [String] = []
  ) {
    connection.emit(
      "PropertiesChanged", of: Interface.properties, at: path,
      [
        Argument.text(interface), Argument.properties(properties.map { ($0.name, $0.value()) }),
        Argument.array(of: "s", without.map(Argument.text)),
      ])
  }

  private func emitItems(of collection: ByteString) {
    guard let served = holdings.collections[collection] else { return }
    if holdings.count(in: collection) > Self.listLimit {
      return emitProperties(Interface.collection, at: served.path, [], without: ["Items", "Modified"])
    }
    emitProperties(
      Interface.collection, at: served.path,
      properties(of: served).filter { $0.name == "Items" || $0.name == "Modified" })
  }

  private func emit(_ signal: String, _ item: ServedItem) {
    connection.emit(
      signal, of: Interface.collection, at: ObjectPath.collection(item.collection), [Argument.path(item.path)]
    )
  }

  func signalCreated(_ item: ServedItem) {
    emit("ItemCreated", item)
    emitItems(of: item.collection)
  }

  func signalDeleted(_ item: ServedItem) {
    emit("ItemDeleted", item)
    emitItems(of: item.collection)
  }

  func signalReplaced(_ item: ServedItem) {
    emit("ItemCreated", item)
    signalChanged(item)
  }

  func signalChanged(_ item: ServedItem) {
    emit("ItemChanged", item)
    emitProperties(Interface.item, at: item.path, properties(of: item, isLocked: isLocked(item.collection)))
  }

  func signalCollectionCreated(_ name: ByteString) {
    emitService("CollectionCreated", ObjectPath.collection(name))
    emitCollections()
  }

  func signalCollectionDeleted(_ name: ByteString) {
    emitService("CollectionDeleted", ObjectPath.collection(name))
    emitCollections()
  }

  func signalCollectionChanged(_ name: ByteString, label: String) {
    let path = ObjectPath.collection(name)
    emitService("CollectionChanged", path)
    emitProperties(Interface.collection, at: path, [("Label", { Argument.text(label) })])
  }

  private func emitService(_ signal: String, _ path: String) {
    connection.emit(signal, of: Interface.service, at: ObjectPath.service, [Argument.path(path)])
  }

  private func emitCollections() {
    emitProperties(
      Interface.service, at: ObjectPath.service,
      [("Collections", { [self] in Argument.paths(collectionPaths) })])
  }

  /// Announces that collections were locked or unlocked.
  ///
  /// - Parameters:
  ///   - known: the items known before locking, or after unlocking.
  ///   - names: the collections; `nil` for all.
  func signalLock(_ isLocked: Bool, _ known: Holdings, in names: Set<ByteString>? = nil) {
    let locked: Property = ("Locked", { Argument.bool(isLocked) })
    for collection in known.collections.values
    where collection.name != CollectionName.session && names?.contains(collection.name) ?? true {
      let paths = known.paths(in: collection.name)
      for path in paths.prefix(Self.listLimit) {
        guard let item = known.items[path] else { continue }
        emit("ItemChanged", item)
        emitProperties(Interface.item, at: path, [locked])
      }
      emitService("CollectionChanged", collection.path)
      emitProperties(Interface.collection, at: collection.path, [locked])
      if names == nil { emitItems(of: collection.name) }
    }
    // Nothing appears or disappears if other collections stay open.
    if names == nil { emitCollections() }
  }

  /// Announces changes by others.
  func signal(_ differences: Holdings.Differences) {
    for name in differences.madeCollections { signalCollectionCreated(name) }
    for name in differences.changedCollections {
      signalCollectionChanged(name, label: holdings.collections[name]?.label ?? "")
    }
    for name in differences.goneCollections { signalCollectionDeleted(name) }
    for item in differences.made { emit("ItemCreated", item) }
    for item in differences.changed { signalChanged(item) }
    for item in differences.gone { emit("ItemDeleted", item) }
    for name in Set((differences.made + differences.gone).map(\.collection)) { emitItems(of: name) }
  }
}
