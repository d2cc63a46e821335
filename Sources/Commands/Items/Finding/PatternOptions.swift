public import ArgumentParser
public import Keychain

/// Options that select items by patterns, one for each of Keychain Services' attributes.
struct PatternOptions: ParsableArguments {
  @Option(
    "Items of this class: passwords for a server (internet) or a service (generic), or others",
    value: "class", name: .customLong("class"))
  var itemClass: ItemClass?

  @Option(
    "The server, ignoring case; here and below * matches anything, ? one character, [...] one of several, a backslash makes the next character ordinary, and '' matches items without the attribute",
    value: "pattern")
  var server: String?

  @Option("The protocol, ignoring case, such as https", value: "pattern")
  var `protocol`: String?

  @Option("The port, even if it is the protocol's default", value: "number")
  var port: UInt16?

  @Option("The user name", value: "pattern")
  var account: String?

  @Option("The path on the server, without slashes around it", value: "pattern")
  var path: String?

  @Option("The tool that the item is for; '' for git and people", value: "pattern")
  var domain: String?

  @Option("How the server asks for it", value: "pattern")
  var authenticationType: String?

  @Option("The service of a generic password", value: "pattern")
  var service: String?

  @Option("The name for people", value: "pattern")
  var label: String?

  @Option("The remark", value: "pattern")
  var comment: String?

  @Option("What kind of password it is", value: "pattern")
  var description: String?

  @Option("The program that made it", value: "pattern")
  var creator: String?

  @Option("The program's own sub-class", value: "pattern")
  var type: String?

  @OptionGroup var marks: ItemMarks

  @Flag(name: .customLong("default"), help: "Items that were made the default for their server")
  var isDefault = false

  func validate() throws {
    let given = given
    if let option = Item.Attribute.all.first(where: { given[$0] != nil && $0.excludes(.genericPassword) })?
      .option
    {
      if let itemClass, itemClass != .internetPassword {
        throw ValidationError("Items of the class \(itemClass.rawValue) have no \(option).")
      }
      if service != nil { throw ValidationError("Either --\(option) or --service: no item has both.") }
    }
    if let itemClass, itemClass != .genericPassword, service != nil {
      throw ValidationError("Items of the class \(itemClass.rawValue) have no service.")
    }
    if port == 0 { throw ValidationError("--port is a number from 1 to 65535.") }
  }

  /// The patterns.
  var given: [Item.Attribute: String] {
    let values: [Item.Attribute: String?] = [
      .server: server, .protocol: `protocol`, .port: port?.description, .account: account, .path: path,
      .securityDomain: domain, .authenticationType: authenticationType, .service: service, .label: label,
      .comment: comment, .itemDescription: description, .creator: creator, .type: type,
      .isDefault: isDefault ? "1" : nil,
    ]
    return values.compactMapValues { $0 }
  }

  var isEmpty: Bool { itemClass == nil && marks.isEmpty && given.isEmpty }

  /// Whether the options ask for items of a Secret Service that are no logins.
  var asksForOtherItems: Bool { itemClass?.secretServiceKind != nil || !marks.isEmpty }

  /// For many items, take it once, because it parses the patterns.
  var filter: ItemFilter {
    ItemFilter(given, itemClass: itemClass, lookup: marks.lookup, reference: marks.reference)
  }

  /// Whether the item matches every given option; true if none was given.
  func matches(_ item: Item) -> Bool { filter.matches(item) }
}

extension ItemClass: ExpressibleByArgument {}
