import TestSupport

/// A step of a sequence: its kind, and the seed of all further choices. Its effect depends on the state at that time,
/// so any part of a sequence is a sequence too.
struct Step: Hashable {
  enum Kind: String, CaseIterable {
    case add, addMany, addDated
    case updateSecret, updateAttributes, updateAll, rename, change, touch
    case delete, deleteAll, undelete
    case save, eraseHolding, erase
    case transaction, failingTransaction
    case passTime, passDays, passMonth, setBack
    case find
    case restore, compact
    case rotate, addRecipient, removeSlot, changePassphrase
    case fork, merge, mergeConflictCopy, mergeFiles, swapMachines
    case replaceUnseen, killExchange
    case damage, putBack

    /// Its frequency, as a part of the sum of all weights.
    var weight: Int {
      switch self {
      case .add: 60
      case .updateSecret: 160
      case .change, .save: 60
      case .updateAttributes, .updateAll, .rename: 30
      case .delete, .undelete, .passTime, .find: 30
      case .transaction: 25
      case .addMany: 5
      case .addDated, .eraseHolding, .erase, .failingTransaction, .touch: 12
      case .merge, .mergeConflictCopy, .mergeFiles, .replaceUnseen, .killExchange: 14
      case .swapMachines: 40
      case .fork: 12
      case .restore, .passDays, .setBack, .putBack: 8
      case .compact, .rotate, .addRecipient, .removeSlot, .damage: 4
      case .passMonth: 3
      case .deleteAll: 2
      case .changePassphrase: 0
      }
    }
  }

  let kind: Kind
  let entropy: UInt64

  private static let table: [Kind] = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

  /// Random steps, of the kinds that are not excluded. Deriving a key from a passphrase takes a tenth of a second, so
  /// that occurs only once in some thousand steps.
  static func sequence(_ generator: inout SeededGenerator, count: Int, without: Set<Kind>) -> [Step] {
    var steps: [Step] = []
    while steps.count < count {
      var kind = generator.pick(table)
      if generator.number(in: 0..<4000) == 0 { kind = .changePassphrase }
      let entropy = generator.next()
      if !without.contains(kind) { steps.append(Step(kind: kind, entropy: entropy)) }
    }
    return steps
  }
}

extension Step: CustomStringConvertible {
  /// `KIND/ENTROPY`, from which it can be repeated.
  var description: String { "\(kind.rawValue)/\(String(entropy, radix: 36))" }

  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
      let entropy = UInt64(parts[1], radix: 36)
    else { return nil }
    self.init(kind: kind, entropy: entropy)
  }
}

/// An error that a step found.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
