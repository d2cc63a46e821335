import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

/// Options that name an item without a place: one that a program keeps in a Secret Service.
struct ItemMarks: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An attribute by which a program finds the item in the Secret Service (repeatable)",
      valueName: "name=value"))
  var attribute: [String] = []

  @Option("The keychain's own name for the item, as 'llavero list --json' shows it", value: "text")
  var reference: String?

  func validate() throws {
    if attribute.contains(where: { !$0.contains("=") }) {
      throw ValidationError("--attribute needs a name and a value: NAME=VALUE.")
    }
  }

  var isEmpty: Bool { attribute.isEmpty && reference == nil }

  var lookup: LookupAttributes {
    var lookup = LookupAttributes()
    for text in attribute {
      let parts = text.utf8.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { lookup[ByteString(Array(parts[0]))] = ByteString(Array(parts[1])) }
    }
    return lookup
  }
}

/// The same for commands that otherwise take a place, with the name for people.
struct UnplacedItemOptions: ParsableArguments {
  @OptionGroup var marks: ItemMarks

  @Option("The name for people of an item that has no server; * matches anything", value: "pattern")
  var label: String?

  func validate(beside place: PlaceArguments) throws {
    if place.url != nil, place.service != nil { throw ValidationError.bothPlaces }
    if isEmpty { return }
    if place.isPlace || place.account != nil || place.domain != nil {
      throw ValidationError("--attribute, --label and --reference name an item without a place.")
    }
  }

  var isEmpty: Bool { marks.isEmpty && label == nil }

  var filter: ItemFilter {
    var filter = ItemFilter(
      label.map { [.label: $0] } ?? [:], lookup: marks.lookup, reference: marks.reference)
    filter.omitsLogins = label != nil && marks.isEmpty
    return filter
  }
}

extension ItemFilter {
  /// The single match.
  ///
  /// - Throws: ``KeychainError`` if there is none, or more than one.
  func single(in keychain: any KeychainStore) throws(KeychainError) -> Item {
    let found = try keychain.reading { () throws(KeychainError) in
      Result { () throws(KeychainError) in try matching(try keychain.items(matching: .all), in: keychain) }
    }.get()
    guard let item = found.first else {
      try keychain.refusePassingOver()
      throw .failure(
        "the keychain has no matching item",
        hint: "\(.seeList), and with 'llavero list --class secret'",
        status: .nothingMatched)
    }
    if found.count > 1 { throw Self.several(found) }
    return item
  }

  /// The failure if several items match where one is expected.
  static func several(_ items: [Item]) -> KeychainError {
    let names = zip(items, items.namesApart).map { item, name in
      item.key.itemClass.isPassword ? name : "\(item.nameForSearch)"
    }
    return .failure(
      "\(items.count) items match: \(names.fewInSentence)",
      hint: "name one with --reference, as '--json' shows it when they are listed", status: .usage)
  }
}
