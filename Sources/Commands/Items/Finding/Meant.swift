import Bytes
import CredentialProtocols
import Keychain
import KeychainChoice
import ToolCommands

/// What somebody means by the words of a command. A chosen item is never looked up by its key: a Secret Service may
/// have several items with one key.
enum Meant {
  /// All that answers for a place.
  case place(NamedPlace)
  /// This very item of the keychain, and no other one.
  case item(Item)

  func query() throws(KeychainError) -> ItemQuery {
    switch self {
    case .place(let place): return try place.query()
    case .item(let item): return (try? ItemQuery(for: item.key)) ?? .criteria(ItemCriteria(item.key))
    }
  }

  /// Whether an item is meant, among those that the keychain finds by the query.
  func includes(_ item: Item) -> Bool {
    switch self {
    case .place: true
    case .item(let chosen): item.reference == chosen.reference
    }
  }

  /// The items that may answer, the best one first.
  func items(in open: OpenKeychain) throws(KeychainError) -> [Item] {
    switch self {
    case .place(let place): return try open.find(try place.query())
    case .item(let item): return [item]
    }
  }

  /// The single item.
  ///
  /// - Throws: ``KeychainError`` as ``NamedPlace/item(in:)`` does.
  func item(in keychain: any KeychainStore) throws(KeychainError) -> Item {
    switch self {
    case .place(let place): return try place.item(in: keychain)
    case .item(let item): return item
    }
  }

  /// The failure if nothing is there.
  ///
  /// - Throws: as ``NamedPlace/nothingMatches(in:isWanted:)`` does.
  func nothingMatches(
    in keychain: any KeychainStore, isWanted: Bool = false
  ) throws(KeychainError) -> KeychainError {
    switch self {
    case .place(let place): return try place.nothingMatches(in: keychain, isWanted: isWanted)
    case .item: return .itemNotFound
    }
  }
}

extension OpenKeychain {
  /// The answer for a place, or that of the item that is meant.
  func answer(to meant: Meant) throws(KeychainError) -> Answer? {
    guard case .item(let item) = meant else { return try answer(to: try meant.query()) }
    // A keychain of the list has its own name for the item.
    let reference = try keychain.original(of: item).item.reference
    return try keychain.part(with: [item]).answer(to: try meant.query()) {
      $1.authenticationScheme == nil && $0.reference == reference
    }
  }
}

extension KeychainStore {
  /// Explains whether one item answers, and leaves out all others.
  func explain(
    _ item: Item, askedBy query: ItemQuery, where isUsable: (borrowing Credential) -> Bool
  ) throws(KeychainError) -> AnswerExplanation {
    let reference = try original(of: item).item.reference
    return try part(with: [item]).explain(query) { $0.reference == reference && isUsable($1) }.about(item)
  }
}
