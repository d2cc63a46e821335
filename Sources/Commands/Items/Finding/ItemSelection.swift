import ArgumentParser
import Keychain
import ToolCommands

/// The items for a command.
enum ItemSelection {
  /// Exact matches of a place.
  case named(NamedPlace)
  /// This very item.
  case chosen(Item)
  /// The single match of a filter.
  case single(ItemFilter)
  /// All matches of a filter, wherever they are.
  case matching(ItemFilter)

  /// At least one item.
  ///
  /// - Parameter all: whether there may be several.
  /// - Throws: ``KeychainError`` if there are none, or several where one is expected.
  func items(in keychain: any KeychainStore, all: Bool) throws(KeychainError) -> [Item] {
    switch self {
    case .named(let place):
      if !all { return [try place.item(in: keychain)] }
      let items = try place.items(in: keychain)
      if items.isEmpty { throw try place.nothingMatches(in: keychain) }
      return items
    case .chosen(let item): return [item]
    case .single(let filter): return [try filter.single(in: keychain)]
    case .matching(let filter):
      let items = try filter.matching(try keychain.items(matching: .all), in: keychain)
      if items.isEmpty {
        try keychain.refusePassingOver()
        throw .failure(
          "the keychain has no matching items", hint: .seeList, status: .nothingMatched)
      }
      return items.map { (name: $0.key.name, item: $0) }.sorted { $0.name < $1.name }.map(\.item)
    }
  }

  /// A given option that doesn't help to name a place.
  static func pattern(_ itemClass: ItemClass?, _ given: [Item.Attribute: String]) -> String? {
    if itemClass != nil { return "--class" }
    let ofPlaces: Set<Item.Attribute> = [.account, .securityDomain, .authenticationType, .service]
    let attribute = Item.Attribute.all.first { given[$0] != nil && !ofPlaces.contains($0) }
    return attribute?.option.map { "--\($0)" }
  }

  /// Checks that a command line names either a place or, with `--all`, patterns of attributes.
  ///
  /// - Parameters:
  ///   - pattern: a given option that doesn't name a place, if there is one.
  ///   - isEmpty: whether nothing was given except perhaps a URL.
  static func validate(url: String?, service: String?, pattern: String?, isEmpty: Bool, all: Bool) throws {
    if url != nil {
      if service != nil { throw ValidationError.bothPlaces }
      if let pattern { throw ValidationError("\(pattern) goes with --all, without a URL.") }
    } else if all {
      if isEmpty { throw ValidationError("Name a place, a service or another attribute.") }
    } else if let pattern {
      throw ValidationError("\(pattern) goes with --all, because several items can match.")
    } else if service == nil {
      throw ValidationError.noPlace
    }
  }
}

extension PatternOptions {
  func validate(url: String?, all: Bool) throws {
    if namesUnplacedItem(url: url, all: all) { return }
    try ItemSelection.validate(url: url, service: service, pattern: pattern, isEmpty: isEmpty, all: all)
  }

  func selection(url: String?, all: Bool) -> ItemSelection {
    if url == nil, all { return .matching(filter) }
    if namesUnplacedItem(url: url, all: all) { return .single(filter) }
    return .named(
      NamedPlace(
        url: url, service: service, account: account, domain: domain, authenticationType: authenticationType))
  }

  /// Whether the options name one item without a place.
  private func namesUnplacedItem(url: String?, all: Bool) -> Bool {
    url == nil && service == nil && !all && (itemClass == .secretServiceItem || !marks.isEmpty)
  }

  /// A given option that doesn't help to name a place beside a URL or service.
  private var pattern: String? {
    let option = ItemSelection.pattern(itemClass, given)
    return option ?? (marks.attribute.isEmpty ? marks.reference.map { _ in "--reference" } : "--attribute")
  }
}
