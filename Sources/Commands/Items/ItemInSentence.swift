import Keychain
import ToolCommands

extension Item.Key {
  /// The item in a sentence: `alice's login for https://git.example.com`, `the secret for npm`.
  var inSentence: String {
    switch self {
    case .internetPassword: "\(owner) login for \(place)"
    case .genericPassword: "\(owner) secret for \(place)"
    case .cryptographic, .secretService: name
    }
  }

  /// The key's name, with the mark that tables have for an empty account.
  var nameInTable: String { account?.isEmpty == true ? "\(place) (-)" : name }

  private var owner: String { account.nonEmpty.map { "\($0)'s" } ?? "the" }
}

extension [Item] {
  /// The items in a sentence, by their number if there are several.
  var inSentence: String { count == 1 ? self[0].key.inSentence : countText(count, "item") }
}

extension [String] {
  /// The first five names, and how many more there are.
  var fewInSentence: String {
    let few = prefix(5).joined(separator: ", ")
    return count > 5 ? "\(few) and \(count - 5) more" : few
  }
}
