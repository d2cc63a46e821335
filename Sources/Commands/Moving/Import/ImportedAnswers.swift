import Bytes
import Interchange
import Keychain
import KeychainChoice
import ToolCommands

/// Which of several accounts of one place answers git, after an import.
struct ImportedAnswers {
  private struct Login {
    /// Its place in the plan.
    let index: Int
    let key: InternetPassword
    /// When it was changed, by its source.
    let date: Timestamp?
  }

  /// The imported logins of git and people, by their places.
  private let places: [String: [Login]]
  /// The accounts that the sources' programs use.
  private let active: [InternetPassword]
  /// The option that selects the same keychain in another command; empty if none was named.
  private let words: [String]
  /// What answered before the import at places without a default, where other accounts come.
  private var former: [String: Item] = [:]

  /// How many places are told one by one.
  private static let longestList = 5

  init(of found: [FoundLogins], in choice: KeychainChoice) {
    words = choice.isNamed ? ["--keychain", choice.name] : []
    let logins = found.flatMap(\.logins).enumerated().compactMap { index, login -> Login? in
      guard case .internetPassword(let key) = login.item.key, key.securityDomain == nil else { return nil }
      return Login(index: index, key: key, date: login.item.modificationDate)
    }
    places = Dictionary(grouping: logins) { Item.Key.internetPassword($0.key).place }
    active = found.flatMap(\.active)
  }

  /// Notes what answers before the import.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  mutating func noteFormer(in keychain: any KeychainStore) throws(KeychainError) {
    if places.isEmpty { return }
    // A question for each place would take a service long.
    var held: [String: Set<ByteString?>] = [:]
    for item in try keychain.items(matching: .all) {
      guard case .internetPassword(let key) = item.key, key.securityDomain == nil else { continue }
      let place = item.key.place
      if places[place] != nil { held[place, default: []].insert(key.account) }
    }
    for (place, accounts) in held {
      guard let logins = places[place], accounts.union(logins.map(\.key.account)).count > 1 else { continue }
      let items = try DefaultCommand.items(at: .internetPassword(logins[0].key), in: keychain)
      if !items.contains(where: \.isDefault) { former[place] = items.first }
    }
  }

  /// What a person has to know before the import: which account would answer in place of another.
  ///
  /// - Parameter isWritten: whether the login at an index of the plan would come.
  func foreseen(_ isWritten: (Int) -> Bool) -> [String] {
    var remarks: [String] = []
    for (place, former) in former.sorted(by: { $0.key < $1.key }) {
      guard let next = next(at: place, after: former, isWritten), next.account != former.key.account else {
        continue
      }
      let (whose, change) = instead(of: former.key)
      remarks.append(
        "\(Item.Key.internetPassword(next).inSentence) would answer from then on, instead of \(whose); "
          + "\(change) keeps \(whose)")
    }
    return Self.few(remarks)
  }

  /// What would answer at a place, if it is one of the imported logins.
  private func next(at place: String, after former: Item, _ isWritten: (Int) -> Bool) -> InternetPassword? {
    let logins = places[place] ?? []
    if let used = used(at: place) { return logins.first { $0.key.account == used }?.key }
    let coming = logins.filter { isWritten($0.index) }
    guard let last = coming.max(by: { ($0.date ?? .now) < ($1.date ?? .now) }) else { return nil }
    let isNewer = former.modificationDate.map { $0 < last.date ?? .now } ?? true
    return isNewer ? last.key : nil
  }

  /// The account that the source's program uses at a place.
  private func used(at place: String) -> ByteString? {
    active.first { $0.account != nil && Item.Key.internetPassword($0).place == place }?.account
  }

  /// Whose login another one replaces, and the command that has it answer.
  private func instead(of former: Item.Key) -> (whose: String, change: Hint) {
    let whose = former.account.nonEmpty.map { "\($0)'s" } ?? "the one without an account"
    return (whose, "\(commandOf: former.words(of: "default", isAmongOthers: true) + words)")
  }

  private static func few(_ remarks: [String]) -> [String] {
    if remarks.count <= longestList { return remarks }
    let more = remarks.count - longestList
    return remarks.prefix(longestList)
      + ["and so on for \(countText(more, "more place")), each with several accounts"]
  }

  /// Makes the account in use the default of a place that has none.
  ///
  /// - Returns: what a person has to know of the answers.
  /// - Throws: ``KeychainError`` if the keychain can't be read or changed.
  func settle(in keychain: any KeychainStore) throws(KeychainError) -> [String] {
    var remarks: [String] = []
    for (place, logins) in places.sorted(by: { $0.key < $1.key }) {
      let (used, accounts) = (self.used(at: place), Set(logins.map(\.key.account)))
      if used == nil, former[place] == nil, accounts.count < 2 { continue }
      if let remark = try settle(.internetPassword(logins[0].key), used, accounts, in: keychain) {
        remarks.append(remark)
      }
    }
    return Self.few(remarks)
  }

  /// - Parameters:
  ///   - key: one of the place's imported logins.
  ///   - used: the account that the source's program uses.
  ///   - accounts: those that came for the place.
  private func settle(
    _ key: Item.Key, _ used: ByteString?, _ accounts: Set<ByteString?>, in keychain: any KeychainStore
  ) throws(KeychainError) -> String? {
    let items = try DefaultCommand.items(at: key, in: keychain)
    guard items.count > 1, !items.contains(where: \.isDefault) else { return nil }
    if let used {
      let chosen = try keychain.exclusively { () throws(KeychainError) -> Item? in
        let present = try DefaultCommand.items(at: key, in: keychain)
        guard !present.contains(where: \.isDefault),
          var item = present.first(where: { $0.key.account == used })
        else { return nil }
        item.isDefault = true
        return try keychain.update(item)
      }
      if let chosen {
        return displacing(chosen.key) ?? "\(chosen.key.inSentence) answers where no account is named"
      }
    }
    let first = items[0].key
    if let remark = displacing(first) { return remark }
    if used == nil, accounts.count < 2 { return nil }
    let owner = first.account.nonEmpty.map { "\($0)'s login" } ?? "the login without an account"
    guard let other = items.first(where: { $0.key.account != first.account && $0.key.account != nil }) else {
      return nil
    }
    let change: Hint = "\(commandOf: other.key.words(of: "default") + words)"
    return "\(owner) answers for \(first.place); \(change) changes that"
  }

  /// What to say if another account than before answers.
  private func displacing(_ key: Item.Key) -> String? {
    guard let former = former[key.place]?.key, former.account != key.account else { return nil }
    let (whose, change) = instead(of: former)
    return "\(key.inSentence) answers from now on, instead of \(whose); \(change) changes that"
  }
}
