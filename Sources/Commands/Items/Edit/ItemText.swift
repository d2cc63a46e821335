import Bytes
import Keychain
import ToolCommands

/// An item's attributes as editable text: a line `name: value` for each, and comments after `#`.
enum ItemText {
  struct Fault: Error, Equatable {
    /// From 1; `nil` if no particular line is at fault.
    let line: Int?
    let reason: String

    /// With the line number.
    var text: String { line.map { "line \($0): \(reason)" } ?? reason }
  }

  static func text(of item: Item) -> String {
    var text = help(for: item)
    for (name, attribute) in fields(of: item) {
      let value = value(of: attribute, in: item).map { " " + EscapedText.text(of: $0) } ?? ""
      text += "\(name):\(value)\n"
    }
    return text
  }

  /// The edited item; `nil` if the text has no attribute lines.
  ///
  /// - Throws: ``Fault`` for an invalid line, or an item that no keychain should accept.
  static func item(_ item: Item, editedTo text: [UInt8]) throws(Fault) -> Item? {
    let fields = fields(of: item)
    var values: [String: (value: ByteString?, line: Int)] = [:]
    var start = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    var number = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: 0x0a) ?? text.count
      let line = text[start..<end].trimmed
      start = end + 1
      number += 1
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        throw Fault(line: number, reason: "it is not 'name: value'")
      }
      let name = String(decoding: line[..<colon].trimmed, as: UTF8.self).lowercased()
      guard fields.contains(where: { $0.name == name }) else {
        throw Fault(line: number, reason: "no attribute is called '\(name)'")
      }
      if let first = values[name] {
        throw Fault(line: number, reason: "the \(name) is in line \(first.line) already")
      }
      do throws(EscapedText.Malformed) {
        values[name] = (try EscapedText.value(of: line[(colon + 1)...]), number)
      } catch {
        throw Fault(line: number, reason: "the \(name) \(error.reason)")
      }
    }
    if values.isEmpty { return nil }
    var edited = item
    for (name, attribute) in fields {
      let value = values[name]?.value
      // Unchanged values are not checked: another program may have set a value that llavero would refuse.
      if value == self.value(of: attribute, in: item) { continue }
      do throws(KeychainError) {
        edited[attribute] = try newValue(value, of: attribute)
      } catch {
        throw Fault(line: values[name]?.line, reason: error.message)
      }
    }
    do throws(KeychainError) {
      if edited.key != item.key { try edited.validateKey() }
      try edited.validate()
    } catch {
      var line: Int?
      if case .unusableAttribute(let name, _) = error {
        line = fields.first { $0.attribute.displayName == name }.flatMap { values[$0.name]?.line }
      }
      throw Fault(line: line, reason: error.message)
    }
    return edited
  }

  private static func help(for item: Item) -> String {
    return """
      # \(terminalText(item.key.name)): \(className(of: item.key))
      #
      # What you write here is kept when you leave the editor. Its secret is not here, nor are its codes and fields; they stay.
      # A line without a value, or left out, stands for an attribute that the item doesn't have; "" is an empty text.
      # In a value, \\n is a line break, \\t a tab, \\\\ a backslash, \\x20 a space at either end.
      # To change nothing, leave it as it is, or remove all lines.


      """
  }

  // MARK: Attributes

  private static func className(of key: Item.Key) -> String {
    switch key {
    case .internetPassword: "an internet password"
    case .genericPassword: "a generic password"
    case .cryptographic: "a certificate or key"
    case .secretService: "an item of the Secret Service"
    }
  }

  private static func fields(of item: Item) -> [(name: String, attribute: Item.Attribute)] {
    Item.Attribute.all.filter { $0.isOf(item.key.itemClass) }.compactMap { attribute in
      attribute.option.map { ($0, attribute) }
    }
  }

  private static func value(of attribute: Item.Attribute, in item: Item) -> ByteString? {
    attribute.form == .mark ? item[attribute] == nil ? "no" : "yes" : item[attribute]
  }

  private static func newValue(
    _ value: ByteString?, of attribute: Item.Attribute
  ) throws(KeychainError) -> ByteString? {
    switch (attribute.form, value) {
    case (.mark, nil), (.mark, "no"): return nil
    case (.mark, "yes"): return "1"
    case (.mark, _): throw .failure("\(attribute.displayName) is either yes or no", status: .usage)
    default: return try KeyChange.value(value, of: attribute)
    }
  }
}
