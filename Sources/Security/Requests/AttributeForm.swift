import Foundation
import Keychain
import SecurityCodes

/// What values an attribute has, and how they are bytes: those by which items are compared, and mostly those that they
/// keep.
enum AttributeForm: Hashable, Sendable {
  /// A `String`; its UTF-8.
  case text
  /// A `String`; its UTF-8 without slashes around it, as items keep paths.
  case path
  /// `Data`; its bytes.
  case data
  /// An integer; decimal digits.
  case number
  /// A four-character code as a number; its decimal digits.
  case code
  /// A `Bool`; `1` or `0`.
  case flag
  /// A `Date`; its milliseconds since 1970 in decimal digits.
  case date
  /// A four-character code; the name of the URL scheme.
  case networkProtocol
  /// A four-character code; the type's usual name. The default one is empty.
  case authenticationType
  /// A TCP port; decimal digits. None is empty.
  case port
  /// Marked or not, or both; `1`, `0` or `*`.
  case synchronizable
  /// One of `kSecAttrAccessible…`; its value.
  case accessibility
  /// A ``SecAccessControl``; the value of its `kSecAttrAccessible…`.
  case accessControl
  /// What can't be here.
  case unsupported
}

extension AttributeForm {
  /// The bytes for a value of a dictionary.
  ///
  /// Apple's keychain takes text and data for each other, numbers for flags and digits for numbers
  /// (SecDbItem.c); so does this one.
  ///
  /// - Throws: `errSecParam` for a value of another type, or out of bounds; `errSecUnimplemented` for one that means
  ///   something that isn't here.
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

  /// The value for a dictionary.
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

  /// The value of `sync` that both kinds of items answer.
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
