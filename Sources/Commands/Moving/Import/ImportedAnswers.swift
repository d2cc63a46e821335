import Bytes
import Interchange
import Keychain
import KeychainChoice
import ToolCommands

/// Which of several imported accounts of one place answers git.
struct ImportedAnswers {
  /// The imported logins of git and people, by their places.
  private let places: [String: [InternetPassword]]
  /// The accounts that the sources' programs use.
  private let active: [InternetPassword]
  /// The option that selects the same keychain in another command; empty if none was named.
  private let words: [String]
  /// What answered before the import at places without a default, where a source's program uses an account.
  private var former: [String: Item.Key] = [:]

  /// How many places are told one by one.
  private static let longestList = 5

  init(of found: [FoundLogins], in choice: KeychainChoice) {
    words = choice.isNamed ? ["--keychain", choice.name] : []
    let keys = found.flatMap(\.logins).compactMap { login -> InternetPassword? in
      guard case .internetPassword(let key) = login.item.key, key.securityDomain == nil else { return nil }
      return key
    }
    places = Dictionary(grouping: keys) { Item.Key.internetPassword($0).place }
    active = found.flatMap(\.active)
  }

  /// Notes what answers before the import.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  mutating func noteFormer(in keychain: any KeychainStore) throws(KeychainError) {
    for (place, keys) in places where used(at: place) != nil {
      let items = try DefaultCommand.items(at: .internetPassword(keys[0]), in: keychain)
      if !items.contains(where: \.isDefault) { former[place] = items.first?.key }
    }
  }

  /// What a person has to know before the import: which account would answer in place of another.
  func foreseen() -> [String] {
    var remarks: [String] = []
    for (place, keys) in places.sorted(by: { $0.key < $1.key }) {
      guard let used = self.used(at: place), let former = self.former[place], former.account != used,
        let key = keys.first(where: { $0.account == used })
      else { continue }
      let (whose, change) = instead(of: former)
      remarks.append(
        "\(Item.Key.internetPassword(key).inSentence) would answer from then on, instead of \(whose); "
          + "\(change) keeps \(whose)")
    }
    return Self.few(remarks)
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
    for (place, keys) in places.sorted(by: { $0.key < $1.key }) {
      let used = self.used(at: place)
      if used == nil, Set(keys.map(\.account)).count < 2 { continue }
      if let remark = try settle(.internetPassword(keys[0]), used, in: keychain) {
        remarks.append(remark)
      }
    }
    return Self.few(remarks)
  }

  /// - Parameters:
  ///   - key: one of the place's imported logins.
  ///   - used: the account that the source's program uses.
  private func settle(
    _ key: Item.Key, _ used: ByteString?, in keychain: any KeychainStore
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
      if let chosen, let former = self.former[key.place], former.account != used {
        let (whose, change) = instead(of: former)
        return "\(chosen.key.inSentence) answers from now on, instead of \(whose); \(change) changes that"
      }
      if let chosen { return "\(chosen.key.inSentence) answers where no account is named" }
    }
    let first = items[0].key
    let owner = first.account.nonEmpty.map { "\($0)'s login" } ?? "the login without an account"
    guard let other = items.first(where: { $0.key.account != first.account && $0.key.account != nil }) else {
      return nil
    }
    let change: Hint = "\(commandOf: other.key.words(of: "default") + words)"
    return "\(owner) answers for \(first.place); \(change) changes that"
  }
}
