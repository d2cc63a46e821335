package import Bytes
import Glibc
package import Keychain

/// A keychain on another machine, which offers it through the SSH agent protocol. Nothing is stored on this one.
///
/// It contains only the items that the other machine allows. An item that needs a person's decision appears after that.
package final class ForwardedKeychain: KeychainStore {
  /// Sends a request and returns the response, both JSON.
  package typealias Exchange = (borrowing Secret) throws(KeychainError) -> Secret

  /// The socket's path; empty if there is none.
  package let path: String
  /// Whether that is a sandbox's, for which nobody is asked. Mounted under another path, it doesn't show that.
  package var isOfSandbox: Bool {
    let folder = path.split(separator: "/").dropLast().last
    return folder.map { NamedSockets.isOfSandbox(ByteString($0)) } ?? false
  }
  private let exchange: Exchange
  private let tool: ByteString
  /// Whether to keep a secret that came with its item for a few seconds, until it is requested. After that it is
  /// requested again, because it may have changed or no longer be allowed.
  package var holdsAnswers = true
  package var clock: () -> Int = { SystemClock.sinceBoot }
  /// Whether the answer is still wanted, checked while a person decides.
  package var isWanted: () -> Bool = { true }
  /// Called once, if the other machine can't use a part of the keychain while another part answers.
  package var onPart: () -> Void = {}
  private var isPartSaid = false
  /// The error of a part of the keychain that the other machine couldn't use for the last request.
  package private(set) var passedOver: KeychainError?
  /// Secrets that came with their items, for the next call about them only.
  private var held: [ItemReference: Held] = [:]
  /// The query that found an item.
  private var queries: [ItemReference: ItemQuery] = [:]
  private var pending: CollectedChanges?
  /// The other machine's references of items added while changes were collected.
  private var addedReferences: [ItemReference: ItemReference] = [:]
  private var lastAdded = 0
  /// The items made by the last changes, as the other machine has them.
  private var made: [Item] = []

  /// How long such a secret is kept, in milliseconds.
  private static let holdingTime = 5_000
  /// How many items' queries are remembered.
  private static let maximumQueries = 10_000

  /// How often changes are repeated if somebody else has changed the same items meanwhile. There is no lock for taking
  /// turns, so they wait for random times, up to a tenth of a second.
  private static let maximumAttempts = 100

  private final class Held {
    let item: Item
    let credential: Credential
    let since: Int

    init(_ item: Item, _ credential: consuming Credential, since: Int) {
      self.item = item
      self.credential = credential
      self.since = since
    }
  }

  /// - Parameters:
  ///   - path: the socket, for messages.
  ///   - tool: this machine's tool, as named to the other one.
  ///   - exchange: sends a request and waits for the response.
  package init(from path: String = "", tool: ByteString, exchange: @escaping Exchange) {
    self.path = path
    self.tool = tool
    self.exchange = exchange
  }

  /// Connects to the agent at a socket, and again whenever that connection has ended between two requests.
  ///
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - isNamed: whether a person has named it; see ``ForwardingConnection/init(to:isNamed:)``.
  ///   - tool: this machine's tool, as named to the other one.
  /// - Throws: ``KeychainError/forwarding(_:)`` if the agent doesn't forward a keychain.
  package convenience init(at path: String, isNamed: Bool, tool: ByteString) throws(KeychainError) {
    var connection = try ForwardingConnection(to: path, isNamed: isNamed)
    self.init(from: path, tool: tool) { (request) throws(KeychainError) in
      if !connection.isOpen { connection = try ForwardingConnection(to: path, isNamed: isNamed) }
      return try connection.exchange(request)
    }
  }

  // MARK: Reading

  package func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let found = try remoteItems(matching: query)
    guard let pending else { return found }
    return pending.applied(to: found, query)
  }

  private func remoteItems(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let isList: Bool
    switch query {
    case .internetPassword, .genericPassword: isList = false
    case .criteria, .all: isList = true
    }
    guard case .items(let items, let answer, let isPart) = try ask(isList ? .list : .find(query)) else {
      throw Self.notUnderstood
    }
    passedOver = isPart ? .forwarding(.answered(.unavailable)) : nil
    if isPart, !isPartSaid {
      isPartSaid = true
      onPart()
    }
    let now = clock()
    held = held.filter { now - $0.value.since < Self.holdingTime }
    if let answer, holdsAnswers {
      let item = items[answer.index]
      if let reference = item.reference {
        held[reference] = Held(item, answer.credential.copy(), since: now)
      }
    }
    if queries.count > Self.maximumQueries { queries = [:] }
    let matching = isList ? items.filter(query.matches) : items
    for item in matching {
      guard let reference = item.reference else { throw Self.notUnderstood }
      if !isList { queries[reference] = query }
    }
    // If an earlier query should have found it, it is repeated: if the item is new, both results can't be valid at
    // once.
    for doubtful in pending?.see(matching, query) ?? [] { _ = try remoteItems(matching: doubtful) }
    return matching
  }

  package func credential(of item: Item) throws(KeychainError) -> Credential {
    guard let reference = known(item.reference) else { throw .itemNotFound }
    if let pending, let isKnown = try pending.credential(at: reference) { return isKnown }
    let credential = try remoteCredential(of: item, at: reference)
    pending?.see(credential, at: reference)
    return credential
  }

  private func remoteCredential(of item: Item, at reference: ItemReference) throws(KeychainError)
    -> Credential
  {
    if let kept = held.removeValue(forKey: reference), kept.item == item,
      clock() - kept.since < Self.holdingTime
    {
      return kept.credential.copy()
    }
    guard case .credential(let answer) = try ask(.credential(reference, queries[reference])) else {
      throw Self.notUnderstood
    }
    return answer.credential.copy()
  }

  private func known(_ reference: ItemReference?) -> ItemReference? {
    reference.map { addedReferences[$0] ?? $0 }
  }

  // MARK: Changing

  @discardableResult
  package func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try add(item, credential, keepsDates: false)
  }

  @discardableResult
  package func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try add(item, credential, keepsDates: true)
  }

  private func add(
    _ item: Item, _ credential: borrowing Credential, keepsDates: Bool
  ) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    let credential = credential.copy()
    return try changing { () throws(KeychainError) -> Item in
      if try hasTwin(of: item, at: nil) { throw .duplicateItem }
      lastAdded += 1
      let reference = ItemReference(ByteString("new \(lastAdded)"))
      return pending?.add(item, credential.copy(), keepsDates: keepsDates, at: reference) ?? item
    }
  }

  @discardableResult
  package func update(_ item: Item) throws(KeychainError) -> Item {
    try item.validate()
    return try update(item, nil)
  }

  @discardableResult
  package func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    return try update(item, CollectedChanges.Secrets(credential.copy()))
  }

  private func update(_ item: Item, _ secrets: CollectedChanges.Secrets?) throws(KeychainError) -> Item {
    try changing { () throws(KeychainError) -> Item in
      guard let reference = known(item.reference), try present(reference) != nil else { throw .itemNotFound }
      if try hasTwin(of: item, at: reference) { throw .duplicateItem }
      return pending?.update(item, secrets, at: reference) ?? item
    }
  }

  @discardableResult
  package func delete(_ items: [Item]) throws(KeychainError) -> Int {
    try exclusively { () throws(KeychainError) -> Int in
      var count = 0
      for item in items {
        guard let reference = known(item.reference), try present(reference) != nil else { continue }
        pending?.delete(at: reference)
        count += 1
      }
      return count
    }
  }

  private func hasTwin(of item: Item, at reference: ItemReference?) throws(KeychainError) -> Bool {
    let primaryKey = item.key.primaryKey
    return try items(matching: .criteria(ItemCriteria(item.key))).contains {
      $0.key.primaryKey == primaryKey && (reference == nil || known($0.reference) != reference)
    }
  }

  /// The item's present state; `nil` if it is gone, or not allowed.
  private func present(_ reference: ItemReference) throws(KeychainError) -> Item? {
    if let item = pending?.present(at: reference) { return item }
    if pending?.isDeleted(reference) ?? false { return nil }
    _ = try remoteItems(matching: .all)
    return pending?.present(at: reference)
  }

  /// Makes one change, and returns the other machine's item.
  private func changing(_ body: () throws(KeychainError) -> Item) throws(KeychainError) -> Item {
    if pending != nil { return try body() }
    let item = try exclusively(body)
    return made.last ?? item
  }

  /// The other machine's item since the last changes.
  package func committed(_ item: Item) -> Item {
    guard let reference = known(item.reference) else { return item }
    return made.last { $0.reference == reference } ?? item
  }

  /// False: a body without changes sends none, and every lookup in it is for a change.
  package var looksBeforeChanging: Bool { false }

  /// Collects the changes of `body` and sends them together. If somebody else has changed the items it has seen, `body`
  /// runs again.
  ///
  /// An item added in `body` has the other machine's reference and dates once this has returned; the reference returned
  /// by `add` remains valid.
  package func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let outer = pending {
      do throws(KeychainError) {
        return try body()
      } catch {
        pending?.undo(to: outer)
        throw error
      }
    }
    for attempt in 0..<Self.maximumAttempts {
      if attempt > 0 { usleep(.random(in: 0...(min(UInt32(attempt), 20) * 5000))) }
      pending = CollectedChanges()
      held = [:]
      made = []
      defer { pending = nil }
      do throws(KeychainError) {
        let result = try body()
        if let changes = pending, !changes.isTorn, try commit(changes) { return result }
      } catch {
        if pending?.isTorn != true { throw error }
      }
    }
    throw .forwarding(.answered(.changed))
  }

  /// Sends the changes. Returns false if something has changed meanwhile, so that they weren't made.
  private func commit(_ pending: CollectedChanges) throws(KeychainError) -> Bool {
    let changes = pending.changes
    if changes.isEmpty { return true }
    switch try response(to: .change(changes)) {
    case .items(let items, _, _):
      let added = items.suffix(pending.added.count)
      guard added.count == pending.added.count else { throw Self.notUnderstood }
      for (own, item) in zip(pending.added, added) { addedReferences[own] = item.reference }
      made = items
      return true
    case .fault(.changed), .fault(.duplicate), .fault(.notFound): return false
    case .fault(let fault): throw fault.error
    case .credential, .waiting: throw Self.notUnderstood
    }
  }

  package func probe() -> KeychainReadiness {
    do throws(KeychainError) {
      switch try response(to: .probe) {
      case .items: return .ready
      case .fault(.locked): return .locked(ForwardFault.locked.error)
      case .fault(.notWritable): return .notWritable(ForwardFault.notWritable.error)
      case .fault(let fault): return .unavailable(fault.error)
      case .credential, .waiting: return .unavailable(Self.notUnderstood)
      }
    } catch {
      return .unavailable(error)
    }
  }

  // MARK: Asking

  private func ask(_ action: ForwardRequest.Action) throws(KeychainError) -> ForwardResponse {
    let response = try response(to: action)
    if case .fault(let fault) = response { throw fault.error }
    return response
  }

  private func response(to action: ForwardRequest.Action) throws(KeychainError) -> ForwardResponse {
    var action = action
    let purpose = purpose(of: action)
    let deadline = SystemClock.awake + Self.longestDecision
    while SystemClock.awake < deadline {
      let request = ForwardRequest(action, tool: tool, for: purpose).encoded
      if request.count > KeychainExtension.maximumSize { throw ForwardFault.tooLarge.error }
      let text = try exchange(request)
      let response = text.withUnsafeBytes { try? ForwardResponse(parsing: $0) }
      guard let response else { throw Self.notUnderstood }
      guard case .waiting(let ticket) = response else { return response }
      // The agent says so after a second. This keeps one that says so at once from making this process spin.
      usleep(20_000)
      if !isWanted() { break }
      action = .wait(ticket: ticket)
    }
    throw .forwarding(.answered(.undecided))
  }

  /// The purpose of a request: lookups while changes are collected are for changes.
  private func purpose(of action: ForwardRequest.Action) -> ForwardRequest.Purpose {
    guard case .change(let changes) = action else { return pending == nil ? .get : .store }
    let deletesOnly = changes.allSatisfy { if case .delete = $0.kind { true } else { false } }
    return deletesOnly ? .erase : .store
  }

  /// How long a person on the other machine may take to decide, in milliseconds. The other machine gives up sooner.
  private static let longestDecision = 600_000

  private static let notUnderstood = KeychainError.forwarding(.notUnderstood)
}

extension ForwardFault {
  package var error: KeychainError {
    switch self {
    case .duplicate: .duplicateItem
    case .notFound: .itemNotFound
    case .tooLarge: .tooLarge(what: "a forwarded item", limit: KeychainExtension.maximumSize)
    case .refused, .unverified, .locked, .notWritable, .unusableAttribute, .malformed, .undecided, .busy,
      .changed,
      .unavailable, .unknown:
      .forwarding(.answered(self))
    }
  }
}
