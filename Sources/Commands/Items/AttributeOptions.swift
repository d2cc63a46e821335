import ArgumentParser
import Keychain

/// Options that select items by patterns, one for each of Keychain Services' attributes.
struct AttributeOptions: ParsableArguments {
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "Items of this class: passwords for a server (internet) or a service (generic), or others",
      valueName: "class"))
  var itemClass: ItemFilter.Class?

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
    let ofInternet: [(String, Bool)] = [
      ("--server", server != nil), ("--protocol", `protocol` != nil), ("--port", port != nil),
      ("--path", path != nil), ("--domain", domain != nil),
      ("--authentication-type", authenticationType != nil),
    ]
    if let (name, _) = ofInternet.first(where: \.1) {
      if let itemClass, itemClass != .internet {
        throw ValidationError("Items of the class \(itemClass.rawValue) have no \(name.dropFirst(2)).")
      }
      if service != nil { throw ValidationError("Either \(name) or --service: no item has both.") }
    }
    if let itemClass, itemClass != .generic, service != nil {
      throw ValidationError("Items of the class \(itemClass.rawValue) have no service.")
    }
    if port == 0 { throw ValidationError("--port is a number from 1 to 65535.") }
  }

  var isEmpty: Bool {
    itemClass == nil && port == nil && !isDefault && marks.isEmpty
      && [
        server, `protocol`, account, path, domain, authenticationType, service, label, comment, description,
        creator,
        type,
      ].allSatisfy { $0 == nil }
  }

  /// Whether the options ask for items of a Secret Service that are no logins.
  var asksForOtherItems: Bool { itemClass == .secret || itemClass == .collection || !marks.isEmpty }

  /// For many items, take it once, because it parses the patterns.
  var filter: ItemFilter {
    func pattern(_ text: String?) -> GlobPattern? { text.map { GlobPattern($0) } }
    return ItemFilter(
      itemClass: itemClass, server: server.map { GlobPattern($0, ignoringCase: true) },
      protocol: `protocol`.map { GlobPattern($0, ignoringCase: true) }, port: port, account: pattern(account),
      path: pattern(path), domain: pattern(domain), authenticationType: pattern(authenticationType),
      service: pattern(service), label: pattern(label), comment: pattern(comment),
      itemDescription: pattern(description), creator: pattern(creator), type: pattern(type),
      lookup: marks.lookup, reference: marks.reference, isDefault: isDefault)
  }

  /// Whether the item matches every given option; true if none was given.
  func matches(_ item: Item) -> Bool { filter.matches(item) }
}

extension ItemFilter.Class: ExpressibleByArgument {}
