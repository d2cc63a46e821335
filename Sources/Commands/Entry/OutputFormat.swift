import Keychain
import ToolCommands

/// The format of `--format`: text with `{NAME}` for an attribute of the item.
///
/// A backslash before `n`, `t` or `0` makes a line feed, a tab or a NUL; before a brace or a backslash, that character
/// itself.
struct OutputFormat {
  private enum Part: Equatable {
    case text([UInt8])
    case attribute(String)
  }

  private var parts: [Part] = []
  /// The bytes after each item: none if the format itself ends a line.
  private let end: [UInt8]

  static let names =
    (Item.Attribute.all.compactMap(\.option)
    + ["class", "created", "keychain", "modified", "name", "place", "reference"]).sorted()

  /// - Throws: ``KeychainError`` if the format is invalid.
  init(_ format: String) throws(KeychainError) {
    var text: [UInt8] = []
    var rest = format.utf8[...]
    var endsLine = false
    while let byte = rest.popFirst() {
      endsLine = false
      switch byte {
      case UInt8(ascii: "\\"):
        switch rest.popFirst() {
        case UInt8(ascii: "n"):
          text.append(0x0a)
          endsLine = true
        case UInt8(ascii: "0"):
          text.append(0)
          endsLine = true
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "{"): text.append(UInt8(ascii: "{"))
        case UInt8(ascii: "}"): text.append(UInt8(ascii: "}"))
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        default:
          throw .failure(
            "the format has a backslash before something else than n, t, 0, {, } or another one",
            status: .usage)
        }
      case UInt8(ascii: "{"):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          throw .failure(
            "the format has a '{' without a '}'", hint: "an ordinary one is written \\{", status: .usage)
        }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        guard Self.names.contains(name) else {
          throw .failure(
            "the format names {\(name)}, which no item has",
            hint: "there are \(prose: Self.names.joined(separator: ", "))", status: .usage)
        }
        if !text.isEmpty { parts.append(.text(text)) }
        text = []
        parts.append(.attribute(name))
        rest = rest[rest.index(after: end)...]
      case UInt8(ascii: "}"):
        throw .failure(
          "the format has a '}' without a '{'", hint: "an ordinary one is written \\}", status: .usage)
      case 0x0a:
        text.append(byte)
        endsLine = true
      default: text.append(byte)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
    end = endsLine ? [] : [0x0a]
  }

  /// The item in this format. Invisible characters of an attribute become `\u{…}`, so that no attribute can end a line
  /// or control a terminal. A missing attribute is empty.
  func bytes(of item: Item) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): bytes += text
      case .attribute(let name): bytes += terminalText(Self.value(of: name, item)).utf8
      }
    }
    return bytes + end
  }

  private static func value(of name: String, _ item: Item) -> String {
    func text(_ value: ByteString?) -> String { value?.description ?? "" }
    switch name {
    case "class": return item.key.itemClass.rawValue
    case "created": return item.creationDate?.description ?? ""
    case "default": return item.isDefault ? "default" : ""
    case "keychain": return item.keychain ?? ""
    case "modified": return item.modificationDate?.description ?? ""
    case "name": return item.name
    case "place": return item.key.place
    case "reference": return text(item.reference?.bytes)
    default: return text(Item.Attribute(option: name).flatMap { item[$0] })
    }
  }
}
