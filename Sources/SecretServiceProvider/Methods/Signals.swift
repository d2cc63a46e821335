import CSecret
import Keychain
import SecretService

extension Provider {
  /// Beyond this many items, the list of a collection's items is only said to be another one, and not sent along.
  private static let listLimit = 1000

  private func emitProperties(
    _ interface: String, at path: String, _ properties: [Property], without: [String] = []
  ) {
    connection.emit(
      "PropertiesChanged", of: Interface.properties, at: path,
      [
        Argument.text(interface), Argument.properties(properties.map { ($0.name, $0.value()) }),
        Argument.list(without),
      ])
  }

  private func emitItems(of collection: ByteString) {
    guard let served = holdings.collections[collection] else { return }
    if holdings.count(in: collection) > Self.listLimit {
      return emitProperties(Interface.collection, at: served.path, [], without: ["Items"])
    }
    emitProperties(
      Interface.collection, at: served.path, properties(of: served).filter { $0.name == "Items" })
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

  /// A program has stored an item anew that was there before.
  func signalReplaced(_ item: ServedItem) {
    emit("ItemCreated", item)
    signalChanged(item)
  }

  func signalChanged(_ item: ServedItem) {
    emit("ItemChanged", item)
    emitProperties(Interface.item, at: item.path, properties(of: item))
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

  /// Tells that everything has been locked or unlocked.
  ///
  /// - Parameter known: what was known before it was locked, or is known now.
  func signalLock(_ isLocked: Bool, _ known: Holdings) {
    let locked: Property = ("Locked", { Argument.bool(isLocked) })
    for collection in known.collections.values where collection.name != Self.sessionCollection {
      let paths = known.paths(in: collection.name)
      for path in paths.prefix(Self.listLimit) {
        guard let item = known.items[path] else { continue }
        emit("ItemChanged", item)
        emitProperties(Interface.item, at: path, [locked])
      }
      emitService("CollectionChanged", collection.path)
      emitProperties(Interface.collection, at: collection.path, [locked])
      emitItems(of: collection.name)
    }
    emitCollections()
  }

  /// Tells what others have changed.
  func signalDifferences(from before: Holdings) {
    for (name, collection) in holdings.collections {
      guard let former = before.collections[name] else {
        signalCollectionCreated(name)
        continue
      }
      if former.label != collection.label { signalCollectionChanged(name, label: collection.label) }
    }
    for name in before.collections.keys where holdings.collections[name] == nil {
      signalCollectionDeleted(name)
    }
    var changedLists: Set<ByteString> = []
    for (path, item) in holdings.items where item.item != nil {
      guard let former = before.items[path] else {
        emit("ItemCreated", item)
        changedLists.insert(item.collection)
        continue
      }
      if former.item != item.item { signalChanged(item) }
    }
    for (path, item) in before.items where item.item != nil && holdings.items[path] == nil {
      emit("ItemDeleted", item)
      changedLists.insert(item.collection)
    }
    for name in changedLists { emitItems(of: name) }
  }
}
