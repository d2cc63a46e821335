import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The passwords in the option files of MySQL's and MariaDB's programs (MySQL Reference Manual, "Using Option
  /// Files"). The default host of a group is that of `[client]`, else this machine.
  public static let mysql = FileFormat(
    "mysql", "the passwords of mysql's and mariadb's programs", usualPaths: ["~/.my.cnf", "~/.mysql/my.cnf"],
    holdsLoginsAlone: false,
    looksLike: { shape in
      let hasGroup = ["client", "mysql", "mysqldump"].contains { shape.sections.contains($0) }
      return hasGroup && shape.hasLine(beginningWith: "password")
    }
  ) { text throws(FormatFault) in
    let file = SettingLines(text)
    if file.settings.contains(where: { $0.section.isEmpty && $0.name.bytes.first != UInt8(ascii: "!") }) {
      throw FormatFault("it has a line before its first group")
    }
    var found = FoundLogins()
    for setting in file.settings where setting.name.optionName == "password" {
      found.take(password: setting, of: file, text)
    }
    return found
  }
}

extension FoundLogins {
  fileprivate mutating func take(
    password setting: SettingLine, of file: SettingLines, _ text: UnsafeRawBufferPointer
  ) {
    let origin = Origin.line(setting.line)
    guard case .some(let option) = text.optionValue(setting.value) else { return passOver(origin, .disputed) }
    if option.text.isEmpty { return passOver(origin, .noSecret) }
    /// The last one counts; the group's own before that of all clients.
    func value(_ name: ByteString) -> ByteString? {
      let settings = file.settings.filter { $0.name.optionName == name }
      let setting =
        settings.last { $0.section == setting.section } ?? settings.last { $0.section == "client" }
      guard case .some(let value) = setting.flatMap({ text.optionValue($0.value) }) else { return nil }
      return ByteString(value.text).nonEmpty
    }
    do throws(NoPlace) {
      var place = try Place(
        protocol: "mysql", server: value("host") ?? "localhost", writtenPort: value("port"))
      if place.port == 3306 { place.port = nil }
      var item = Item(place.key(account: value("user"), for: nil))
      // The program that reads it.
      if setting.section != "client" { item.itemDescription = setting.section }
      take(
        item, option.text.copy(), at: origin,
        removing: Removal(setting.range, of: text, upToCommentAfter: option.end))
    } catch {
      passOver(origin, error.reason)
    }
  }
}

extension ByteString {
  /// The name of an option, with `_` as `-`, and without `loose-`.
  fileprivate var optionName: ByteString {
    let name = bytes.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
    let prefix = Array("loose-".utf8)
    return ByteString(name.starts(with: prefix) ? Array(name.dropFirst(prefix.count)) : name)
  }
}

private struct OptionValue: ~Copyable {
  let text: Secret
  let end: Int
}

extension UnsafeRawBufferPointer {
  /// An option's value without quotes, escapes and comment; `nil` if MySQL's and MariaDB's manuals don't say how it is
  /// read.
  fileprivate func optionValue(_ range: Range<Int>) -> OptionValue? {
    var value = Secret(capacity: range.count)
    var index = range.lowerBound
    let quote = self[range].first.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") ? $0 : nil }
    if quote != nil { index += 1 }
    while index < range.upperBound {
      let byte = self[index]
      if byte == quote {
        let rest = slice(index + 1..<range.upperBound).trimmedSlice
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") else { return nil }
        return OptionValue(text: value, end: index + 1)
      }
      // One in the middle may end the comment, or begin a string.
      if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return nil }
      if quote == nil, byte == UInt8(ascii: "#") {
        // The space before a comment isn't part of the value.
        while value.withUnsafeBytes({ $0.last.map(isWhiteSpace) ?? false }) {
          value.truncate(to: value.count - 1)
        }
        return OptionValue(text: value, end: index)
      }
      index += 1
      guard byte == UInt8(ascii: "\\"), index < range.upperBound else {
        value.append(byte)
        continue
      }
      switch self[index] {
      case UInt8(ascii: "b"): value.append(0x08)
      case UInt8(ascii: "t"): value.append(0x09)
      case UInt8(ascii: "n"): value.append(0x0a)
      case UInt8(ascii: "r"): value.append(0x0d)
      case UInt8(ascii: "s"): value.append(0x20)
      case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): value.append(self[index])
      default:
        value.append(byte)
        value.append(self[index])
      }
      index += 1
    }
    if quote != nil { return nil }
    return OptionValue(text: value, end: range.upperBound)
  }
}
