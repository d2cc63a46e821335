public import ArgumentParser
public import Keychain

/// Options that select items by patterns, one for each of Keychain Services' attributes.
struct AttributeOptions: ParsableArguments {
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "Items of this class: passwords for a server (internet) or a service (generic), or others",
      valueName: "class"))
  var itemClass: ItemClass?

  @Option(
    help: ArgumentHelp(
      "The server, ignoring case; here and below * matches anything, ? one character, [...] one of several, "
        + "a backslash makes the next character ordinary, and '' matches items without the attribute",
      valueName: "pattern"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "The protocol, ignoring case, such as https", valueName: "pattern"))
  var `protocol`: String?

  @Option(help: ArgumentHelp("The port, even if it is the protocol's default", valueName: "number"))
  var port: UInt16?

  @Option(help: ArgumentHelp("The user name", valueName: "pattern"))
  var account: String?

  @Option(help: ArgumentHelp("The path on the server, without slashes around it", valueName: "pattern"))
  var path: String?

  @Option(help: ArgumentHelp("The tool that the item is for; '' for git and people", valueName: "pattern"))
  var domain: String?

  @Option(help: ArgumentHelp("How the server asks for it", valueName: "pattern"))
  var authenticationType: String?

  @Option(help: ArgumentHelp("The service of a generic password", valueName: "pattern"))
  var service: String?

  @Option(help: ArgumentHelp("The name for people", valueName: "pattern"))
  var label: String?

  @Option(help: ArgumentHelp("The remark", valueName: "pattern"))
  var comment: String?

  @Option(help: ArgumentHelp("What kind of password it is", valueName: "pattern"))
  var description: String?

  @Option(help: ArgumentHelp("The program that made it", valueName: "pattern"))
  var creator: String?

  @Option(help: ArgumentHelp("The program's own sub-class", valueName: "pattern"))
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
