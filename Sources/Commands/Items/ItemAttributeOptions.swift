import ArgumentParser
import Bytes
import Keychain

/// Options for an item's notes: attributes that are not part of its key.
struct ItemAttributeOptions: ParsableArguments {
  @Option("A name for people", value: "text")
  var label: String?

  @Option("A remark", value: "text")
  var comment: String?

  @Option("What kind of password it is, in a word", value: "text")
  var description: String?

  @Option("The program that made it", value: "text")
  var creator: String?

  @Option("A program's own sub-class", value: "text")
  var type: String?

  private var given: [Item.Attribute: String?] {
    [.label: label, .comment: comment, .itemDescription: description, .creator: creator, .type: type]
  }

  var isEmpty: Bool { given.values.allSatisfy { $0 == nil } }

  /// An empty text removes a note.
  func note(on item: inout Item) {
    for case (let attribute, let text?) in given { item[attribute] = ByteString?(ByteString(text)).nonEmpty }
  }
}
