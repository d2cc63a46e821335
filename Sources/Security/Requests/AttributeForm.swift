import Foundation
import Keychain

/// The type of an attribute's values, and their conversion to bytes, by which items are compared, and which they
/// usually store.
enum AttributeForm: Hashable, Sendable {
  /// A `String`, as UTF-8.
  case text
  /// A `String`, as UTF-8 without surrounding slashes, as items store paths.
  case path
  case data
  /// An integer, as decimal digits.
  case number
  /// A four-character code as a number, as its decimal digits.
  case code
  /// A `Bool`, as `1` or `0`.
  case flag
  /// A `Date`, as its milliseconds since 1970 in decimal digits.
  case date
  /// A four-character code, as the name of the URL scheme.
  case networkProtocol
  /// A four-character code, as the type's usual name. The default is empty.
  case authenticationType
  /// A TCP port, as decimal digits. No port is empty.
  case port
  /// Marked, not marked or both, as `1`, `0` or `*`.
  case synchronizable
  /// One of `kSecAttrAccessible…`, as its value.
  case accessibility
  /// A ``SecAccessControl``, as the value of its `kSecAttrAccessible…`.
  case accessControl
  /// An attribute that isn't supported here.
  case unsupported
}

extension AttributeForm {
  /// The bytes for a value in a dictionary.
  ///
  /// Apple's keychain accepts text for data and the reverse, numbers for flags, and digits for numbers (SecDbItem.c),
  /// and so does this one.
  ///
  /// - Throws: `errSecParam` for a value of another type, or out of bounds; `errSecUnimplemented` for a value with a
  ///   meaning that isn't supported here.
  func bytes(of value: Any) throws(StatusError) -> ByteString {
    switch self {
    case .text, .data: return try Self.bytes(value)
    case .path: return try Self.bytes(value).withoutSlashesAround
    case .number: return ByteString(String(try Self.integer(value)))
    case .code: return ByteString(String(try Self.code(value)))
    case .flag: return try Self.integer(value) != 0 ? "1" : "0"
    case .synchronizable:
      if value as? String == kSecAttrSynchronizableAny { return Self.bothKinds }
      return try Self.integer(value) != 0 ? "1" : "0"
    case .date:
      guard let date = value as? Date,
        let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
      else { throw StatusError(errSecParam) }
      return ByteString(String(milliseconds))
    case .networkProtocol: return try Self.networkProtocol(value)
    case .authenticationType: return try Self.authenticationType(value)
    case .port:
      guard let port = UInt16(exactly: try Self.integer(value)) else { throw StatusError(errSecParam) }
      return port == 0 ? "" : ByteString(String(port))
    case .accessibility:
      guard let text = value as? String, accessibilities.contains(text) else {
        throw StatusError(errSecParam)
      }
      return ByteString(text)
    case .accessControl:
      guard let control = value as? SecAccessControl else { throw StatusError(errSecParam) }
      if !control.flags.isEmpty { throw StatusError(errSecUnimplemented) }
      return ByteString(control.protection)
    case .unsupported: throw StatusError(errSecUnimplemented)
    }
  }

  /// The value for a dictionary from its bytes.
  func value(of bytes: ByteString) -> Any {
    switch self {
    case .text, .path, .accessibility, .unsupported: return bytes.text ?? Data(bytes.bytes)
    case .data: return Data(bytes.bytes)
    case .number, .code: return NSNumber(value: bytes.text.flatMap { Int64($0) } ?? 0)
    case .flag, .synchronizable: return NSNumber(value: bytes == "1")
    case .date:
      return Date(timeIntervalSince1970: Double(bytes.text.flatMap { Int64($0) } ?? 0) / 1000)
    case .networkProtocol:
      if bytes.isEmpty { return NSNumber(value: 0) }
      let code = FourCharacterCode(ofProtocol: bytes)
      if code.protocolName == bytes { return Self.text(of: code) }
      return bytes.text ?? Data(bytes.bytes)
    case .authenticationType:
      let code = FourCharacterCode(ofAuthenticationType: bytes.isEmpty ? nil : bytes)
      if (code.authenticationTypeName ?? "") == bytes { return Self.text(of: code) }
      return bytes.text ?? Data(bytes.bytes)
    case .port: return NSNumber(value: bytes.text.flatMap { UInt16($0) } ?? 0)
    case .accessControl: return SecAccessControl(protection: bytes.description, flags: [])
    }
  }

  /// The value of `sync` that matches both kinds of items.
  static let bothKinds: ByteString = "*"

  private static func bytes(_ value: Any) throws(StatusError) -> ByteString {
    if let text = value as? String { return ByteString(text) }
    if let data = value as? Data { return ByteString([UInt8](data)) }
    throw StatusError(errSecParam)
  }

  private static func integer(_ value: Any) throws(StatusError) -> Int64 {
    if let number = value as? NSNumber {
      let integer = number.int64Value
      guard NSNumber(value: integer) == number || NSNumber(value: integer != 0) == number else {
        throw StatusError(errSecParam)
      }
      return integer
    }
    if let text = value as? String, let integer = Int64(text), String(integer) == text { return integer }
    throw StatusError(errSecParam)
  }

  private static func code(_ value: Any) throws(StatusError) -> UInt32 {
    if let text = value as? String, Int64(text) == nil,
      let code = FourCharacterCode(exactly: ByteString(text))
    {
      return code.rawValue
    }
    guard let code = UInt32(exactly: try integer(value)) else { throw StatusError(errSecParam) }
    return code
  }

  private static func networkProtocol(_ value: Any) throws(StatusError) -> ByteString {
    if let text = value as? String {
      let text = ByteString(text)
      return FourCharacterCode(exactly: text)?.protocolName ?? text.lowercased
    }
    let code = try code(value)
    return code == 0 ? "" : FourCharacterCode(rawValue: code).protocolName
  }

  private static func authenticationType(_ value: Any) throws(StatusError) -> ByteString {
    if let text = value as? String {
      let text = ByteString(text)
      return FourCharacterCode(exactly: text).map { $0.authenticationTypeName ?? "" } ?? text
    }
    let code = try code(value)
    return code == 0 ? "" : FourCharacterCode(rawValue: code).authenticationTypeName ?? ""
  }

  private static func text(of code: FourCharacterCode) -> String {
    String(decoding: code.bytes, as: UTF8.self)
  }
}
