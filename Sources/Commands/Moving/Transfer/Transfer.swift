import Interchange
import Keychain

/// Brings logins from elsewhere into a keychain.
struct Transfer {
  /// What became of a login.
  enum Outcome: String {
    /// It is a new item.
    case added
    /// It took the place of what the keychain had.
    case replaced
    /// It was there already.
    case unchanged
    /// The keychain has another secret, and keeps it.
    case kept
    /// An earlier login of the source is the same item, and has another secret.
    case repeated
    /// No keychain takes it.
    case unusable
  }

  /// What is to be done.
  let plan: TransferPlan
  /// Which of the logins that differ take the place of what the keychain has.
  let replacing: Set<Int>

  /// What would become of each login.
  var foreseen: [Outcome] {
    plan.steps.enumerated().map { index, step in
      switch step {
      case .add: .added
      case .unchanged, .repeated(isSame: true): .unchanged
      case .repeated(isSame: false): .repeated
      case .differs: replacing.contains(index) ? .replaced : .kept
      case .unusable: .unusable
      }
    }
  }

  /// Does it: the file is written once, a service of the desktop gets some at a time, so that what is there when this is
  /// cut off need not be sent again.
  ///
  /// - Returns: what became of each login.
  /// - Throws: what changing the keychain throws; what was shown as done is there then.
  func run(
    in keychain: any KeychainStore, batch: Int, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(KeychainError) -> [Outcome] {
    let foreseen = foreseen
    var outcomes = foreseen
    // Where nothing else decides, what was changed last answers: so the first of the source comes last.
    let changes = outcomes.indices.filter { outcomes[$0] == .added || outcomes[$0] == .replaced }.reversed()
    let dates = dates(at: .now)
    var rest = Array(changes)[...]
    while !rest.isEmpty {
      let part = rest.prefix(batch)
      var done = 0
      try keychain.exclusively { () throws(KeychainError) in
        // The keychain may run this more than once.
        done = changes.count - rest.count
        for index in part {
          outcomes[index] = foreseen[index]
          try change(index, in: keychain, dates[index], &outcomes[index])
          done += 1
          if done % 100 == 0 { progress(done, changes.count) }
        }
      }
      progress(done, changes.count)
      rest = rest.dropFirst(part.count)
    }
    return outcomes
  }

  /// When each login was changed last: what its source says, but never later than one that is to be preferred to it.
  private func dates(at now: Timestamp) -> [Timestamp] {
    var former: [Item.Key: Timestamp] = [:]
    return plan.logins.enumerated().map { index, login in
      guard var date = login.item.modificationDate else {
        return Timestamp(milliseconds: now.milliseconds - Int64(index))
      }
      let place = login.item.key.withoutAccount
      if let former = former[place], date >= former {
        date = Timestamp(milliseconds: former.milliseconds - 1)
      }
      former[place] = date
      return date
    }
  }

  private func change(
    _ index: Int, in keychain: any KeychainStore, _ date: Timestamp, _ outcome: inout Outcome
  ) throws(KeychainError) {
    let login = plan.logins[index]
    if case .differs(let item) = plan.steps[index] {
      do throws(KeychainError) {
        try keychain.update(item.taking(notesOf: login.item), login.credential)
        return
      } catch .itemNotFound {
        // Somebody has deleted it meanwhile.
        outcome = .added
      }
    }
    var item = login.item
    item.reference = nil
    item.modificationDate = date
    item.creationDate = item.creationDate ?? date
    do throws(KeychainError) {
      try keychain.add(keepingDatesOf: item, login.credential)
    } catch .duplicateItem {
      // Somebody has added it meanwhile.
      outcome = .kept
    }
  }

  /// Reads back what has to be there.
  ///
  /// - Returns: the logins whose item isn't there, or has another secret.
  /// - Throws: what reading the keychain throws.
  func missing(
    _ outcomes: [Outcome], in keychain: any KeychainStore, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(KeychainError) -> [Int] {
    try keychain.reading { () throws(KeychainError) -> [Int] in
      var present: [Item.Key: Item] = [:]
      for item in try keychain.items(matching: .all) { present[item.key.primaryKey] = item }
      var missing: [Int] = []
      for (index, outcome) in outcomes.enumerated() where outcome.isThere {
        let login = plan.logins[index]
        if let item = present[login.item.key.primaryKey],
          let credential = try keychain.credentialIfPresent(of: item),
          credential.hasSame(as: login.credential)
        {
          progress(index + 1, outcomes.count)
          continue
        }
        missing.append(index)
      }
      return missing
    }
  }
}

extension Transfer.Outcome {
  /// Whether the keychain has the login afterwards.
  var isThere: Bool {
    switch self {
    case .added, .replaced, .unchanged: true
    case .kept, .repeated, .unusable: false
    }
  }
}

extension Item.Key {
  /// What all accounts of a place have in common.
  fileprivate var withoutAccount: Item.Key {
    switch primaryKey {
    case .internetPassword(var key):
      key.account = nil
      return .internetPassword(key)
    case .genericPassword(var key):
      key.account = nil
      return .genericPassword(key)
    case .cryptographic: return self
    }
  }
}
