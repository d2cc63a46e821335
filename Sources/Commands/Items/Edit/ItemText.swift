import Bytes
import Keychain
import Terminals

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
    for field in fields(of: item.key) {
      let value = field.value(item).map { " " + EscapedText.text(of: $0) } ?? ""
      text += "\(field.name):\(value)\n"
    }
    return text
  }

  /// The edited item; `nil` if the text has no attribute lines.
  ///
  /// - Throws: ``Fault`` for an invalid line, or an item that no keychain should accept.
  static func item(_ item: Item, editedTo text: [UInt8]) throws(Fault) -> Item? {
    let fields = fields(of: item.key)
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
    for field in fields {
      let value = values[field.name]?.value
      // Unchanged values are not checked: another program may have set a value that llavero would refuse.
      if value == field.value(item) { continue }
      do throws(Failure) {
        try field.set(value, &edited)
      } catch {
        throw Fault(line: values[field.name]?.line, reason: error.message)
      }
    }
    do throws(KeychainError) {
      if edited.key != item.key { try edited.validateKey() }
      try edited.validate()
    } catch {
      var line: Int?
      if case .unusableAttribute(let name, _) = error {
        line = values[name == "security domain" ? "domain" : name.replacingPart(" ", with: "-")]?.line
      }
      throw Fault(line: line, reason: Failure(error).message)
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

  private struct Field {
    let name: String
    let value: (Item) -> ByteString?
    let set: (ByteString?, inout Item) throws(Failure) -> Void
  }

  private static func className(of key: Item.Key) -> String {
    switch key {
    case .internetPassword: "an internet password"
    case .genericPassword: "a generic password"
    case .cryptographic: "a certificate or key"
    case .secretService: "an item of the Secret Service"
    }
  }

  private static func fields(of key: Item.Key) -> [Field] {
    let keyFields: [Field] =
      switch key {
      case .internetPassword: internetFields
      case .genericPassword: genericFields
      case .cryptographic, .secretService: []
      }
    return keyFields + notes
  }

  private static var notes: [Field] {
    [
      note("label", \.label), note("comment", \.comment), note("description", \.itemDescription),
      note("creator", \.creator), note("type", \.type),
      Field(name: "default") {
        $0.isDefault ? "yes" : "no"
      } set: { (value, item) throws(Failure) in
        switch value {
        case nil, "no": item.isDefault = false
        case "yes": item.isDefault = true
        default: throw Failure("default is either yes or no", status: .usage)
        }
      },
    ]
  }

  private static func note(_ name: String, _ path: WritableKeyPath<Item, ByteString?>) -> Field {
    Field(name: name, value: { $0[keyPath: path] }, set: { (value, item) in item[keyPath: path] = value })
  }

  private static var internetFields: [Field] {
    [
      internet("server") {
        $0.server
      } set: { (value, key) throws(Failure) in
        key.server = try KeyChange.server(try text(value))
      },
      internet("protocol") {
        $0.protocol
      } set: { (value, key) throws(Failure) in
        key.protocol = try KeyChange.scheme(try text(value))
      },
      internet("port") {
        $0.port.map { ByteString(String($0)) }
      } set: { (value, key) throws(Failure) in
        key.port = try KeyChange.port(try text(value))
      },
      internet("account") {
        $0.account
      } set: { (value, key) in
        key.account = value
      },
      internet("path") {
        $0.path
      } set: { (value, key) in
        key.path = KeyChange.path(value)
      },
      internet("domain") {
        $0.securityDomain
      } set: { (value, key) in
        key.securityDomain = value.nonEmpty
      },
      internet("authentication-type") {
        $0.authenticationType
      } set: { (value, key) in
        key.authenticationType = value.nonEmpty
      },
    ]
  }

  private static var genericFields: [Field] {
    [
      generic("service") {
        $0.service
      } set: { (value, key) in
        key.service = value ?? ""
      },
      generic("account") {
        $0.account
      } set: { (value, key) in
        key.account = value
      },
    ]
  }

  private static func internet(
    _ name: String, _ value: @escaping (InternetPassword) -> ByteString?,
    set: @escaping (ByteString?, inout InternetPassword) throws(Failure) -> Void
  ) -> Field {
    Field(name: name) { item in
      if case .internetPassword(let key) = item.key { value(key) } else { nil }
    } set: { (newValue, item) throws(Failure) in
      guard case .internetPassword(var key) = item.key else { return }
      try set(newValue, &key)
      item.key = .internetPassword(key)
    }
  }

  private static func generic(
    _ name: String, _ value: @escaping (GenericPassword) -> ByteString?,
    set: @escaping (ByteString?, inout GenericPassword) throws(Failure) -> Void
  ) -> Field {
    Field(name: name) { item in
      if case .genericPassword(let key) = item.key { value(key) } else { nil }
    } set: { (newValue, item) throws(Failure) in
      guard case .genericPassword(var key) = item.key else { return }
      try set(newValue, &key)
      item.key = .genericPassword(key)
    }
  }

  private static func text(_ value: ByteString?) throws(Failure) -> String {
    guard let value else { return "" }
    guard let text = value.text else { throw Failure("it is not UTF-8", status: .usage) }
    return text
  }
}
