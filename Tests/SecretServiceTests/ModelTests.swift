import Expectations
import Glibc
import Keychain
import KeychainTesting
import TestSupport
import Testing

/// Random changes of a keychain, which must behave like one in memory. `LLAVERO_MODEL_STEPS` sets their number,
/// `LLAVERO_MODEL_SEED` the seed.
@Suite("a keychain and its model", .timeLimit(.minutes(60))) struct ModelTests {
  @Test("the secret service keychain does what one in memory does")
  func secretService() throws {
    let keyring = PrivateKeyring()
    let store = try keyring.keychain()
    let seed = Self.number("LLAVERO_MODEL_SEED") ?? Int(time(nil))
    let steps = Self.number("LLAVERO_MODEL_STEPS") ?? (isLongForm ? 300 : 60)
    print("the model's seed: \(seed)")
    var numbers = SeededGenerator(seed: UInt64(seed))
    var done = 0
    while done < steps {
      let sequence = ModelStep.sequence(min(30, steps - done), &numbers)
      done += sequence.count
      guard let difference = try Model.difference(of: store, sequence, reopened: { try keyring.keychain() })
      else { continue }
      let shortest = try Model.shrunk(sequence) {
        try Model.difference(of: store, $0, reopened: { try keyring.keychain() }) != nil
      }
      let rest = try Model.difference(of: store, shortest, reopened: { try keyring.keychain() })
      Issue.record(
        """
        LLAVERO_MODEL_SEED=\(seed), after \(done) steps at most: \(rest ?? difference)
        \(shortest.map(\.description).joined(separator: "\n"))
        """)
      return
    }
  }

  @Test("a keychain that loses something is found out, and the way there is short")
  func findsFaults() throws {
    var numbers = SeededGenerator(seed: 1)
    var found: [ModelStep]?
    for _ in 0..<50 where found == nil {
      let sequence = ModelStep.sequence(30, &numbers)
      func differs(_ steps: [ModelStep]) throws -> Bool {
        try Model.difference(of: ForgetfulKeychain(), steps) != nil
      }
      if try differs(sequence) { found = try Model.shrunk(sequence, differs) }
    }
    expect(found.map { (1...3).contains($0.count) }, is: true, "\(String(describing: found))")
    for _ in 0..<20 {
      try expect(Model.difference(of: ModelKeychain(), ModelStep.sequence(30, &numbers)), is: nil)
    }
  }

  private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
}

/// An operation on a keychain. Items are identified by numbers, modulo the number of items.
indirect enum ModelStep: CustomStringConvertible, Sendable {
  case add(Item, RevealedCredential)
  case update(Int, Item, RevealedCredential?)
  case delete([Int])
  case save(Item, RevealedCredential)
  case answer(Item.Key)
  case erase(Item.Key, holding: ByteString?)
  /// Uses an item that existed once, and may still exist.
  case updateFormer(Int, Item, RevealedCredential?)
  case deleteFormer(Int)
  case revealFormer(Int)
  /// Performs all of the steps or, if it fails in the end, none.
  case exclusively([ModelStep], fails: Bool)

  var description: String {
    switch self {
    case .add(let item, let credential): "add \(item) \(Self.text(credential))"
    case .update(let number, let item, let credential):
      "update \(number) \(item) \(credential.map(Self.text) ?? "")"
    case .delete(let numbers): "delete \(numbers)"
    case .save(let item, let credential): "save \(item) \(Self.text(credential))"
    case .answer(let key): "answer \(key)"
    case .erase(let key, let secret): "erase \(key) \(secret.map { "\($0.bytes)" } ?? "")"
    case .updateFormer(let number, let item, let credential):
      "update former \(number) \(item) \(credential.map(Self.text) ?? "")"
    case .deleteFormer(let number): "delete former \(number)"
    case .revealFormer(let number): "reveal former \(number)"
    case .exclusively(let steps, let fails):
      "exclusively\(fails ? ", failing" : "") {\n  \(steps.map(\.description).joined(separator: "\n  "))\n}"
    }
  }

  static func text(_ credential: RevealedCredential) -> String {
    func short(_ text: ByteString) -> String {
      text.bytes.count > 100
        ? "\(text.bytes.prefix(8)) and so on, \(text.bytes.count) bytes" : "\(text.bytes)"
    }
    return "secret \(short(credential.secret)) expiry \(credential.expiry.map { "\($0)" } ?? "-")"
      + " refresh \(credential.refreshToken.map(short) ?? "-") scheme \(credential.scheme?.description ?? "-")"
  }

  // MARK: Making them

  static func sequence(_ count: Int, _ numbers: inout SeededGenerator) -> [ModelStep] {
    var keys = (0..<3).map { _ in ConfusableItems.key(&numbers) }
    for _ in 0..<3 { keys.append(neighbour(of: numbers.pick(keys), &numbers)) }
    return (0..<count).map { _ in step(keys, &numbers, mayNest: true) }
  }

  private static func step(
    _ keys: [Item.Key], _ numbers: inout SeededGenerator, mayNest: Bool
  ) -> ModelStep {
    func item(_ numbers: inout SeededGenerator) -> Item {
      var item = ConfusableItems.item(&numbers)
      item.key = numbers.pick(keys)
      return item
    }
    let number = numbers.number(in: 0..<8)
    switch numbers.number(in: 0..<(mayNest ? 16 : 11)) {
    case 0, 1, 2: return .add(item(&numbers), credential(&numbers))
    case 3, 4:
      return .update(number, item(&numbers), numbers.number(in: 0..<2) == 0 ? nil : credential(&numbers))
    case 5: return .update(number, item(&numbers), credential(&numbers))
    case 6: return .delete((0..<numbers.number(in: 1..<3)).map { _ in numbers.number(in: 0..<8) })
    case 7, 8: return .save(item(&numbers), credential(&numbers))
    case 9: return .answer(numbers.pick(keys))
    case 10:
      return .erase(numbers.pick(keys), holding: numbers.number(in: 0..<2) == 0 ? nil : numbers.pick(secrets))
    case 11: return .updateFormer(number, item(&numbers), nil)
    case 12: return .deleteFormer(number)
    case 13: return .revealFormer(number)
    default:
      return .exclusively(
        (0..<numbers.number(in: 1..<6)).map { _ in step(keys, &numbers, mayNest: false) },
        fails: numbers.number(in: 0..<4) == 0)
    }
  }

  /// A key that could be mistaken for another.
  private static func neighbour(of key: Item.Key, _ numbers: inout SeededGenerator) -> Item.Key {
    func longer(_ text: ByteString?) -> ByteString { ByteString((text?.bytes ?? []) + Array("x".utf8)) }
    switch key {
    case .internetPassword(var key):
      switch numbers.number(in: 0..<6) {
      case 0: key.account = longer(key.account)
      case 1: key.account = key.account == nil ? "" : nil
      case 2: key.path = longer(key.path)
      case 3: key.port = key.port == nil ? 443 : nil
      case 4: key.securityDomain = longer(key.securityDomain)
      default: key.server = key.server.map(longer)
      }
      return .internetPassword(key)
    case .genericPassword(var key):
      if numbers.number(in: 0..<2) == 0 {
        key.account = longer(key.account)
      } else {
        key.service = longer(key.service)
      }
      return .genericPassword(key)
    case .cryptographic, .secretService: return ConfusableItems.key(&numbers)
    }
  }

  private static let secrets: [ByteString] = [
    "", "s3cret", "s3cret ", "a\nb", "\n", "s3cret\npassword_expiry_utc=5", "x\noauth_refresh_token=",
    "x\nsecret_bytes=1",
    ByteString([0]), ByteString([0xff, 0, 0x0a, 0x0d]), "{REF:P@T:x}", ByteString(Array(0...255)),
    ByteString([UInt8](repeating: 0x61, count: 65_537)), ByteString([UInt8](repeating: 0x0a, count: 4096)),
    ByteString([UInt8](repeating: 0x61, count: (1 << 20) + 1)),
  ]

  private static func credential(_ numbers: inout SeededGenerator) -> RevealedCredential {
    func one(of many: Int, _ numbers: inout SeededGenerator) -> Bool { numbers.number(in: 0..<many) == 0 }
    let secret =
      one(of: 3, &numbers) ? ByteString(numbers.bytes(numbers.number(in: 0..<40))) : numbers.pick(secrets)
    return RevealedCredential(
      secret, expiry: one(of: 3, &numbers) ? numbers.pick([0, 1, 5, -1, 4_000_000_000, .max, .min]) : nil,
      refreshToken: one(of: 3, &numbers) ? numbers.pick(secrets) : nil,
      scheme: one(of: 5, &numbers) ? numbers.pick(["Bearer", "basic", "x y"]) : nil)
  }
}

/// Performs the same steps on a keychain and on one in memory.
enum Model {
  /// The difference between the keychain, which is emptied first, and its model; `nil` if there is none.
  ///
  /// - Parameter reopened: returns the view of another process.
  static func difference(
    of store: any KeychainStore, _ steps: [ModelStep], reopened: () throws -> (any KeychainStore)? = { nil }
  ) throws -> String? {
    try store.delete(try store.items(matching: .all))
    let clock = SettableClock()
    let expected = ModelKeychain(clock: clock.read)
    var (tried, model) = (Runner(store), Runner(expected))
    for (index, step) in steps.enumerated() {
      let outcome = tried.perform(step)
      // The service dates by the second. What it has changed in the same second is told apart by its order alone.
      let dated = try store.items(matching: .all)
      if let latest = dated.compactMap(\.modificationDate).max(), latest > clock.now { clock.now = latest }
      let outcomes = (outcome, model.perform(step))
      if outcomes.0 != outcomes.1 {
        return "step \(index + 1), \(step):\n\(outcomes.0)\nin place of\n\(outcomes.1)"
      }
      expected.take(datesOf: dated)
      var states = [("", try tried.state())]
      if let other = try reopened() { states.append((" in another process", try Runner(other).state())) }
      let right = try model.state()
      for (place, state) in states where state != right {
        return "after step \(index + 1)\(place), \(step):\n\(state.joined(separator: "\n"))\nin place of\n"
          + right.joined(separator: "\n")
      }
      if let problem = try tried.datesProblem() { return "after step \(index + 1), \(step): \(problem)" }
    }
    return nil
  }

  /// The steps without those that aren't needed.
  static func shrunk(_ steps: [ModelStep], _ differs: ([ModelStep]) throws -> Bool) rethrows -> [ModelStep] {
    var steps = steps
    var size = steps.count / 2
    while size > 0 {
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(steps.count, start + size))
        if try !fewer.isEmpty && differs(fewer) { steps = fewer } else { start += size }
      }
      size /= 2
    }
    // Leave out unneeded steps of a body, or replace the body with its steps.
    for index in steps.indices {
      guard case .exclusively(var inner, let fails) = steps[index] else { continue }
      for position in inner.indices.reversed() where inner.count > 1 {
        var fewer = inner
        fewer.remove(at: position)
        var changed = steps
        changed[index] = .exclusively(fewer, fails: fails)
        if try differs(changed) { (steps, inner) = (changed, fewer) }
      }
    }
    return steps
  }

  private struct Runner {
    private let store: any KeychainStore
    private var former: [Item] = []
    private var created: [ItemReference: Timestamp] = [:]

    init(_ store: any KeychainStore) { self.store = store }

    /// The result or error of a step, as text.
    mutating func perform(_ step: ModelStep, isOuter: Bool = true) -> String {
      do throws(KeychainError) {
        return try result(of: step, isOuter: isOuter)
      } catch {
        return "error \(error)"
      }
    }

    private mutating func result(of step: ModelStep, isOuter: Bool) throws(KeychainError) -> String {
      switch step {
      case .add(let item, let credential):
        let added = try store.add(item, credential.credential)
        if isOuter { former.append(added) }
        return Self.text(added)
      case .update(let number, let item, let credential):
        guard let there = try present(number) else { return "nothing there" }
        return try update(there, to: item, credential)
      case .delete(let numbers):
        var items: [Item] = []
        for number in numbers {
          if let item = try present(number), !items.contains(where: { $0.reference == item.reference }) {
            items.append(item)
          }
        }
        return "\(try store.delete(items)) deleted"
      case .save(let item, let credential): return "\(try store.save(item, credential.credential))"
      case .answer(let key):
        guard let answer = try store.answer(to: try ItemQuery(for: key)) else { return "no answer" }
        return Self.text(answer.item) + ModelStep.text(answer.credential.revealed)
      case .erase(let key, let secret):
        let query = try ItemQuery(for: key)
        guard let secret else { return "\(try store.erase(query)) erased" }
        return "\(try store.erase(query, holding: Secret(copying: secret))) erased"
      case .updateFormer(let number, let item, let credential):
        if former.isEmpty { return "none" }
        return try update(former[number % former.count], to: item, credential)
      case .deleteFormer(let number):
        return former.isEmpty ? "none" : "\(try store.delete([former[number % former.count]])) deleted"
      case .revealFormer(let number):
        if former.isEmpty { return "none" }
        return ModelStep.text(try store.credential(of: former[number % former.count]).revealed)
      case .exclusively(let steps, let fails):
        var outcomes: [String] = []
        do throws(KeychainError) {
          try store.exclusively { () throws(KeychainError) in
            outcomes = []
            for step in steps { outcomes.append(perform(step, isOuter: false)) }
            if fails { throw .promptDismissed }
          }
        } catch {
          outcomes.append("error \(error)")
        }
        return outcomes.joined(separator: "\n")
      }
    }

    private func update(
      _ there: Item, to item: Item, _ credential: RevealedCredential?
    ) throws(KeychainError) -> String {
      var changed = item
      changed.reference = there.reference
      if let credential { return Self.text(try store.update(changed, credential.credential)) }
      return Self.text(try store.update(changed))
    }

    /// One of the items that exist, in the order of their keys.
    private func present(_ number: Int) throws(KeychainError) -> Item? {
      let items = try store.items(matching: .all).map { (name: "\($0.key.primaryKey)", item: $0) }
        .sorted { $0.name < $1.name }
      return items.isEmpty ? nil : items[number % items.count].item
    }

    private static func text(_ item: Item) -> String {
      var item = item.undatedItem
      item.reference = nil
      return "\(item)".replacing("Keychain.", with: "")
    }

    /// The contents of the keychain, in its order.
    func state() throws -> [String] {
      try store.items(matching: .all).map { item in
        Self.text(item) + ModelStep.text(try store.credential(of: item).revealed)
      }
    }

    /// The problem with the items' dates, if there is one.
    mutating func datesProblem() throws -> String? {
      for item in try store.items(matching: .all) {
        guard let reference = item.reference, let date = item.creationDate, let last = item.modificationDate
        else { return "an item without reference or dates: \(item)" }
        if last < date { return "an item was changed before it was made: \(item)" }
        if let former = created.updateValue(date, forKey: reference), former != date {
          return "an item was made at another time: \(item)"
        }
      }
      return nil
    }
  }
}

extension RevealedCredential {
  fileprivate var credential: Credential {
    .bytes(secret.bytes, expiry: expiry, refreshToken: refreshToken?.bytes, scheme: scheme)
  }
}

extension Item {
  fileprivate var undatedItem: Item {
    var item = self
    (item.creationDate, item.modificationDate) = (nil, nil)
    return item
  }
}

/// An in-memory keychain that has its items in the order in which they were added, those changed in a running body
/// first, as the secret service keychain does.
private class ModelKeychain: KeychainWrapper {
  private let inner: InMemoryKeychain
  /// The references, the latest last.
  private var order: [ItemReference] = []
  /// The items that the running body has changed, the latest last.
  private var changed: [ItemReference]?
  /// When the service says that it has last changed items. A second may have ended between two changes of one body.
  private var dates: [Item.Key: Timestamp] = [:]

  init(clock: @escaping () -> Timestamp = { .now }) { inner = InMemoryKeychain(clock: clock) }

  func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let places = order + (changed ?? [])
    return try inner.items(matching: query)
      .map { item in (place: places.lastIndex { $0 == item.reference } ?? 0, item: datedBySecond(item)) }
      .sorted { $0.place > $1.place }.map(\.item)
  }

  /// The item with the dates that a service would tell.
  private func datedBySecond(_ item: Item) -> Item {
    var item = item
    func bySecond(_ date: Timestamp) -> Timestamp { Timestamp(milliseconds: date.seconds * 1000) }
    item.creationDate = item.creationDate.map(bySecond)
    item.modificationDate = dates[item.key.primaryKey] ?? item.modificationDate.map(bySecond)
    return item
  }

  /// Dates the items as the service does.
  func take(datesOf items: [Item]) {
    dates = [:]
    for item in items { dates[item.key.primaryKey] = item.modificationDate }
  }

  func wrapped() -> any KeychainStore { inner }

  func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    noting(try inner.add(item, credential), isNew: true)
  }

  func update(_ item: Item) throws(KeychainError) -> Item { noting(try inner.update(item)) }

  func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    noting(try inner.update(item, credential))
  }

  func exclusively<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    if let before = changed {
      do throws(KeychainError) {
        return try inner.exclusively(body)
      } catch {
        changed = before
        throw error
      }
    }
    changed = []
    defer { changed = nil }
    let result = try inner.exclusively(body)
    order += (changed ?? []).filter { !order.contains($0) }
    return result
  }

  private func noting(_ item: Item, isNew: Bool = false) -> Item {
    guard let reference = item.reference else { return item }
    dates[item.key.primaryKey] = nil
    if changed != nil {
      changed?.removeAll { $0 == reference }
      changed?.append(reference)
    } else if isNew {
      order.append(reference)
    }
    return item
  }
}

/// A keychain that loses the comment of an item when its secret is changed.
private final class ForgetfulKeychain: ModelKeychain {
  override func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    var item = item
    item.comment = nil
    return try super.update(item, credential)
  }
}
