/// Several keychains that are asked in order, like the search list of Keychain Services.
///
/// The first keychain that has an answer gives it. New items go to one of them, the default. Answers of another one
/// are not copied there. An item of a keychain that others use, too, is never deleted because a server has refused it:
/// it is hidden on this machine until it changes.
///
/// A keychain that can't be used is reported and passed over, if another one has an answer. If none has, its error is
/// thrown: broken is not empty.
///
/// Items of other keychains than the default have their keychain's name in their reference.
public final class KeychainSearchList: KeychainStore {
  /// A keychain of a list.
  public struct Member {
    /// Its name: small letters, digits, and `.`, `-` and `_` between them.
    public let name: String
    /// Whether other people use it, too, so that only a decision of theirs deletes or changes something.
    public let isShared: Bool
    /// Opens it; called when it is needed.
    let open: () throws(KeychainError) -> any KeychainStore

    /// Makes a member.
    public init(
      _ name: String, isShared: Bool = false, open: @escaping () throws(KeychainError) -> any KeychainStore
    ) {
      self.name = name
      self.isShared = isShared
      self.open = open
    }
  }

  let members: [OpenMember]
  let home: OpenMember
  let hiding: (any ItemHiding)?
  private let onUnusable: (String, KeychainError) -> Void
  let onHiding: (String, [Item]) -> Void
  let onAdded: () -> Void

  /// Makes a list.
  ///
  /// - Parameters:
  ///   - members: the keychains in the order in which they are asked, each with another name.
  ///   - name: the one that new items go to.
  ///   - hiding: keeps which items are hidden; `nil` if there is no shared keychain.
  ///   - onUnusable: called once for each keychain that can't be used and was passed over.
  ///   - onHiding: called with a keychain's name and those of its items that are hidden from now on.
  ///   - onAdded: called after an item was added.
  /// - Precondition: one of the members has that name.
  public init(
    _ members: [Member], newItemsIn name: String, hiding: (any ItemHiding)? = nil,
    onUnusable: @escaping (String, KeychainError) -> Void = { _, _ in },
    onHiding: @escaping (String, [Item]) -> Void = { _, _ in },
    onAdded: @escaping () -> Void = {}
  ) {
    self.members = members.map(OpenMember.init)
    guard let home = self.members.first(where: { $0.name == name }) else {
      preconditionFailure("new items go to a keychain of the list")
    }
    self.home = home
    self.hiding = hiding
    self.onUnusable = onUnusable
    self.onHiding = onHiding
    self.onAdded = onAdded
  }

  init(_ members: [OpenMember], of list: KeychainSearchList) {
    self.members = members
    home = list.home
    hiding = list.hiding
    onUnusable = list.onUnusable
    onHiding = list.onHiding
    onAdded = list.onAdded
  }

  /// The names of the keychains, in order.
  public var names: [String] { members.map(\.name) }

  // MARK: Reading

  /// This list.
  public var searchList: KeychainSearchList? { self }

  /// Why the first keychain that was passed over can't be used.
  public var passedOver: KeychainError? { members.lazy.compactMap(\.passedOver).first }

  /// The items that answer the query, those of the first keychain first.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try collect { (store) throws(KeychainError) in try store.items(matching: query) }
  }

  /// The items that answer the query, those of the first keychain first, and those of each keychain best first.
  ///
  /// - Throws: ``KeychainError`` of the first that can't be used, if no other has anything.
  public func find(_ query: ItemQuery) throws(KeychainError) -> [Item] {
    try collect { (store) throws(KeychainError) in try store.find(query) }
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    let (member, item) = try known(item)
    return try member.store().credential(of: item)
  }

  /// Lets the body see the default keychain as it was at one moment.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    var hasBegun = false
    do throws(KeychainError) {
      return try home.store().reading { () throws(KeychainError) in
        hasBegun = true
        return try body()
      }
    } catch {
      if hasBegun { throw error }
      // If the body needs that keychain, it meets the error itself.
      return try body()
    }
  }

  /// Whether the default keychain could store a secret now.
  public func probe() -> KeychainReadiness {
    do throws(KeychainError) {
      return try home.store().probe()
    } catch {
      return KeychainReadiness(readingFailedWith: error)
    }
  }

  /// The answer of the first keychain that has one; else the first thing that can be renewed.
  ///
  /// - Throws: ``KeychainError`` of the first that can't be used, if no other has anything.
  public func answerOrRenewal(
    to query: ItemQuery, at now: Timestamp = .now,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> AnswerOrRenewal? {
    var renewal: Renewal?
    var hasRenewal = false
    var failures = Failures()
    for member in members {
      do throws(KeychainError) {
        let hidden = try hidden(in: member)
        let found = try member.store().answerOrRenewal(to: query, at: now) { item, credential in
          !hidden.contains(HiddenItem(item)) && isUsable(item, credential)
        }
        member.failure = nil
        guard let found else { continue }
        switch consume found {
        case .answer(let answer):
          let item = member.outward(answer.item, isHome: member === home)
          report(failures)
          return .answer(Answer(item: item, credential: answer.credential))
        case .renewal(let other):
          if hasRenewal { continue }
          hasRenewal = true
          let item = member.outward(other.item, isHome: member === home)
          renewal = Renewal(other, of: item)
        }
      } catch {
        failures.note(member, error)
      }
    }
    try report(failures, orThrowIf: !hasRenewal)
    guard let renewal else { return nil }
    return .renewal(renewal)
  }

  /// Explains the answer of the list: what each keychain would answer by itself, in order.
  ///
  /// - Throws: ``KeychainError`` of the first that can't be used, if no other has anything.
  public func explain(
    _ query: ItemQuery, at now: Timestamp = .now,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> AnswerExplanation {
    var candidates: [AnswerExplanation.Candidate] = []
    var others: [AnswerExplanation.Candidate] = []
    var (renewal, renewed): (Item?, Item?)
    var hasWinner = false
    var failures = Failures()
    for member in members {
      do throws(KeychainError) {
        let hidden = try hidden(in: member)
        let own = try member.store().explain(query, at: now) { item, credential in
          !hidden.contains(HiddenItem(item)) && isUsable(item, credential)
        }
        member.failure = nil
        for candidate in own.candidates {
          var verdict = candidate.verdict
          switch verdict {
          case .answers where hasWinner: verdict = .ranksLower(.keychain)
          case .ranksLower where hasWinner: verdict = .ranksLower(.keychain)
          case .passedOver(.unusable) where hidden.contains(HiddenItem(candidate.item)):
            verdict = .passedOver(.hidden)
          default: break
          }
          let item = member.outward(candidate.item, isHome: member === home, hidden: hidden)
          let seen = AnswerExplanation.Candidate(item: item, verdict: verdict)
          if case .differs = verdict { others.append(seen) } else { candidates.append(seen) }
        }
        if renewed == nil, !hasWinner, let item = own.renewed {
          renewed = member.outward(item, isHome: member === home)
        }
        if own.winner != nil { hasWinner = true }
        if renewal == nil, let item = own.renewal {
          renewal = member.outward(item, isHome: member === home)
        }
      } catch {
        failures.note(member, error)
      }
    }
    try report(failures, orThrowIf: candidates.isEmpty)
    return AnswerExplanation(
      query: query, candidates: candidates + others, renewal: hasWinner ? nil : renewal, renewed: renewed)
  }

  /// The items with a primary key in the keychains that could be used when they were last asked. Nobody is asked to
  /// unlock anything, and a keychain that fails has none.
  package func itemsAtHand(with key: Item.Key) -> [Item] {
    var criteria = ItemCriteria(key)
    criteria.omitsLocked = true
    var items: [Item] = []
    for member in members where member.failure == nil {
      guard let found = try? member.store().items(matching: .criteria(criteria)),
        let hidden = try? self.hidden(in: member)
      else { continue }
      items += found.filter { !hidden.contains(HiddenItem($0)) }
        .map { member.outward($0, isHome: member === home) }
    }
    return items
  }

  // MARK: Members

  /// The items of all keychains. If there are none, a keychain that can't be used is an error.
  private func collect(
    _ items: (any KeychainStore) throws(KeychainError) -> [Item]
  ) throws(KeychainError) -> [Item] {
    try collect(from: members) { (member) throws(KeychainError) in
      let hidden = try hidden(in: member)
      return try items(try member.store())
        .map { member.outward($0, isHome: member === home, hidden: hidden) }
    }
  }

  /// The finds in the keychains where this list deletes items, in order: not in shared ones, except for the default.
  /// If there are none, a keychain that can't be used is an error.
  ///
  /// - Parameter find: gets a keychain, and a function that turns its items into this list's.
  package func collectWhereDeleted<Found>(
    _ find: (any KeychainStore, _ outward: @escaping (Item) -> Item) throws(KeychainError) -> [Found]
  ) throws(KeychainError) -> [Found] {
    let home = home
    return try collect(from: members.filter { !$0.isShared || $0 === home }) {
      (member) throws(KeychainError) in
      try find(try member.store()) { member.outward($0, isHome: member === home) }
    }
  }

  private func collect<Found>(
    from members: [OpenMember], _ find: (OpenMember) throws(KeychainError) -> [Found]
  ) throws(KeychainError) -> [Found] {
    var found: [Found] = []
    var failures = Failures()
    for member in members {
      do throws(KeychainError) {
        found += try find(member)
        member.failure = nil
      } catch {
        failures.note(member, error)
      }
    }
    try report(failures, orThrowIf: found.isEmpty)
    return found
  }

  /// The first result that the body makes of one keychain's items. Without a result, a keychain that can't be used is
  /// an error.
  func firstOfMember<Result: ~Copyable>(
    among query: ItemQuery, _ body: ([Item]) throws(KeychainError) -> Result?
  ) throws(KeychainError) -> Result? {
    var failures = Failures()
    for member in members {
      let items: [Item]
      do throws(KeychainError) {
        let hidden = try hidden(in: member)
        items = try member.store().items(matching: query)
          .map { member.outward($0, isHome: member === home, hidden: hidden) }
        member.failure = nil
      } catch {
        failures.note(member, error)
        continue
      }
      if let result = try body(items) {
        report(failures)
        return result
      }
    }
    try report(failures, orThrowIf: true)
    try refusePassingOver()
    return nil
  }

  /// Reports the keychains that can't be used. If no other one had what was asked for, throws the first error.
  private func report(_ failures: Failures, orThrowIf hasNothing: Bool) throws(KeychainError) {
    try report(failures, throwing: hasNothing ? failures.all.first : nil)
  }

  /// Reports the keychains that can't be used, except for one whose error is thrown.
  func report(_ failures: Failures, throwing failure: Failures.Failure?) throws(KeychainError) {
    for (member, error) in failures.all where member !== failure?.member { report(member, error) }
    if let failure { throw failure.error }
  }

  private func report(_ failures: Failures) {
    for (member, error) in failures.all { report(member, error) }
  }

  func report(_ member: OpenMember, _ error: KeychainError) {
    member.failure = error
    if member.isSaid { return }
    member.isSaid = true
    onUnusable(member.name, error)
  }

  func hidden(in member: OpenMember) throws(KeychainError) -> Set<HiddenItem> {
    guard member.isShared, let hiding else { return [] }
    return try hiding.hidden(in: member.name)
  }

  /// The keychain of an item of this list, and the item in its own form; `nil` if it names none of the list.
  func address(of item: Item) -> (member: OpenMember, item: Item)? {
    var inner = item
    inner.keychain = nil
    inner.isHidden = false
    guard let reference = item.reference, let (name, own) = OpenMember.parts(of: reference) else {
      return (home, inner)
    }
    guard let member = members.first(where: { $0.name == name }) else { return nil }
    inner.reference = own
    return (member, inner)
  }

  func known(_ item: Item) throws(KeychainError) -> (member: OpenMember, item: Item) {
    guard let address = address(of: item) else { throw .itemNotFound }
    return address
  }
}

/// The keychains of a list that could not be used, in order.
struct Failures {
  typealias Failure = (member: OpenMember, error: KeychainError)

  private(set) var all: [Failure] = []

  mutating func note(_ member: OpenMember, _ error: KeychainError) { all.append((member, error)) }
}
