import EncryptedFile
import Keychain
import TestSupport

extension Machine {
  /// Compares what the next process would find with the model's state.
  func check(_ choices: inout Choices) throws {
    if generation == 0 {
      guard try reopened().items(matching: .all).isEmpty else {
        throw Finding("there are items and no vault")
      }
      return
    }
    let vault = reopened()
    let found = try vault.items(matching: .all)
    guard found.count == state.items.count else {
      throw Finding("there are \(found.count) items, and there should be \(state.items.count)")
    }
    var revision = Int64.max
    for item in found {
      guard let reference = item.reference, let known = state.items[reference] else {
        throw Finding("\(item.name) should not be there")
      }
      guard item == known.item else {
        throw Finding("\(item.name) is not as it should be: \(item) \(known.item)")
      }
      guard known.revision <= revision else { throw Finding("\(item.name) is out of order") }
      revision = known.revision
      let credential = KnownItem(item, try vault.credential(of: item), revision: 0, changed: known.changed)
      guard credential.hasSecretOf(known) else { throw Finding("\(item.name) has another secret") }
    }
    let expected = Tally(state.gone.filter(\.hasSecret).map { OldState($0.was.item, $0.retired, $0.why) })
    let history = Tally(
      try vault.retiredItems(matching: .all).map { OldState($0.item, $0.retired, $0.reason.rawValue) })
    guard history == expected else {
      throw Finding("the history lacks \(expected.besides(history)) and has \(history.besides(expected))")
    }
    // Single answers, for which only parts of a large vault are read.
    for _ in 0..<3 { try checkOne(&choices) }
  }

  private func checkOne(_ choices: inout Choices) throws {
    let keys = state.items.values.map(\.item.key).sorted { $0.name < $1.name }
    let key = keys.isEmpty || choices.chance(4) ? choices.key() : keys[choices.index(keys.count)]
    guard let query = try? ItemQuery(for: key) else { return }
    let vault = reopened()
    let answers = Set(try vault.find(query).map(\.reference))
    let expected = Set(state.items.values.map(\.item).filter(query.matches).map(\.reference))
    guard answers == expected else {
      throw Finding("\(key.name) is answered by \(answers.count) items, and should be by \(expected.count)")
    }
    let retired = try reopened().retiredItems(matching: query).count
    let gone = state.gone.count { $0.hasSecret && query.matches($0.was.item) }
    guard retired == gone else {
      throw Finding("of \(key.name) there are \(retired) old states, not \(gone)")
    }
  }
}

/// The listed facts of an item that is out of use.
private struct OldState: Hashable {
  let item: Item
  let retired: Timestamp
  let why: String

  init(_ item: Item, _ retired: Timestamp, _ why: String) {
    (self.item, self.retired, self.why) = (item, retired, why)
  }
}

/// The number of times that each state occurs.
private struct Tally: Equatable {
  var counts: [OldState: Int] = [:]

  init(_ states: [OldState]) { for state in states { counts[state, default: 0] += 1 } }

  func besides(_ other: Tally) -> [String] {
    counts.filter { other.counts[$0.key] != $0.value }.keys.map { "\($0.item.name) \($0.retired) \($0.why)" }
      .sorted()
  }
}
