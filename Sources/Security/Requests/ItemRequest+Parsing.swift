import Foundation
import Keychain

extension ItemRequest {
  /// Parses a dictionary.
  ///
  /// - Throws: `errSecParam` for a key that is unknown or makes no sense here, an invalid value, or a missing class;
  ///   `errSecNoSuchClass`; `errSecNoSuchAttr` for an attribute that items of the class don't have;
  ///   `errSecUnimplemented` for features that Linux doesn't have.
  init(_ dictionary: CFDictionary, for operation: Operation) throws(StatusError) {
    guard let dictionary = dictionary as? [String: Any] else { throw StatusError(errSecParam) }
    try readNames(dictionary, for: operation)
    try readClass(dictionary)
    // In the order of the keys, so that the same fault of several is always reported.
    for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      if ItemAttribute.isTag(key) {
        let attribute = try ItemAttribute(tag: key, of: itemClass)
        try read(attribute, value)
      } else if key.hasPrefix("m_") {
        try readMatch(key, value)
      } else if key.hasPrefix("r_") {
        try readReturn(key, value)
      } else if key.hasPrefix("u_") {
        try readUse(key, value)
      } else if key == kSecValueData {
        guard let data = value as? Data else { throw StatusError(errSecParam) }
        secret = data
      } else if !Self.keysReadBefore.contains(key) {
        throw StatusError(errSecParam)
      }
    }
    try checkWhole(dictionary, for: operation)
  }

  private static let keysReadBefore: Set<String> = [
    kSecClass, kSecValueRef, kSecValuePersistentRef, kSecUseDataProtectionKeychain,
  ]

  private mutating func readNames(
    _ dictionary: [String: Any], for operation: Operation
  ) throws(StatusError) {
    let keys = [kSecValueRef, kSecValuePersistentRef, kSecMatchItemList].filter { dictionary[$0] != nil }
    guard let key = keys.first, let value = dictionary[key] else { return }
    if keys.count > 1 { throw StatusError(errSecParam) }
    if operation == .add {
      // A reference to an item that is already in the keychain can't be added.
      guard key == kSecValueRef, let certificate = value as? SecCertificate else {
        throw StatusError(errSecParam)
      }
      self.certificate = certificate
      return
    }
    if key == kSecMatchItemList {
      guard let list = value as? [Any] else { throw StatusError(errSecParam) }
      var names: [ItemName] = []
      for element in list { names.append(try ItemName(element)) }
      self.names = names
    } else {
      if key == kSecValuePersistentRef, !(value is Data) { throw StatusError(errSecParam) }
      names = [try ItemName(value)]
    }
  }

  private mutating func readClass(_ dictionary: [String: Any]) throws(StatusError) {
    if let constant = dictionary[kSecClass] as? String {
      guard let named = ItemClass(constant: constant) else { throw StatusError(errSecNoSuchClass) }
      itemClass = named
    } else if dictionary[kSecClass] != nil {
      throw StatusError(errSecParam)
    }
    var known = Set((names ?? []).map(\.itemClass))
    if certificate != nil { known.insert(.certificate) }
    if let itemClass {
      if !known.isSubset(of: [itemClass]) { throw StatusError(errSecNoSuchClass) }
    } else if known.count == 1 {
      itemClass = known.first
    } else if names == nil {
      throw StatusError(errSecParam)
    }
  }

  private mutating func read(_ attribute: ItemAttribute, _ value: Any) throws(StatusError) {
    let bytes = try attribute.form.bytes(of: value)
    let place = attribute.place
    if let other = attributes[place], other != bytes { throw StatusError(errSecParam) }
    attributes[place] = bytes
  }

  private mutating func readMatch(_ key: String, _ value: Any) throws(StatusError) {
    switch key {
    case kSecMatchItemList: return
    case kSecMatchSearchList:
      guard let names = value as? [String], !names.isEmpty else { throw StatusError(errSecParam) }
      keychains = names
    case kSecMatchLimit: limit = try Self.limit(value)
    case kSecMatchCaseInsensitive: ignoresCase = try Self.flag(value)
    case kSecMatchHostOrSubdomainOfHost:
      guard let host = value as? String, !host.isEmpty else { throw StatusError(errSecParam) }
      if itemClass != .internetPassword { throw StatusError(errSecUnimplemented) }
      hostOrParent = ByteString(host).lowercased
    case kSecMatchDiacriticInsensitive, kSecMatchWidthInsensitive, kSecMatchTrustedOnly:
      if try Self.flag(value) { throw StatusError(errSecParam) }
    default: throw StatusError(errSecParam)
    }
  }

  private mutating func readReturn(_ key: String, _ value: Any) throws(StatusError) {
    let wanted: Returns
    switch key {
    case kSecReturnData: wanted = .data
    case kSecReturnAttributes: wanted = .attributes
    case kSecReturnRef: wanted = .reference
    case kSecReturnPersistentRef: wanted = .persistentReference
    default: throw StatusError(errSecParam)
    }
    if try Self.flag(value) { returns.insert(wanted) }
  }

  private mutating func readUse(_ key: String, _ value: Any) throws(StatusError) {
    switch key {
    case kSecUseOperationPrompt:
      if !(value is String) { throw StatusError(errSecParam) }
    case kSecUseNoAuthenticationUI:
      if try Self.flag(value), authenticationUI == .allow { authenticationUI = .fail }
    case kSecUseAuthenticationUI:
      switch value as? String {
      case kSecUseAuthenticationUIAllow: break
      case kSecUseAuthenticationUIFail: authenticationUI = .fail
      case kSecUseAuthenticationUISkip: authenticationUI = .skip
      default: throw StatusError(errSecParam)
      }
    case kSecUseKeychain:
      guard let name = value as? String else { throw StatusError(errSecParam) }
      keychains = [name]
    case kSecUseUserIndependentKeychain:
      if try Self.flag(value) { throw StatusError(errSecParam) }
    default: throw StatusError(errSecParam)
    }
  }

  private mutating func checkWhole(
    _ dictionary: [String: Any], for operation: Operation
  ) throws(StatusError) {
    if let value = dictionary[kSecUseDataProtectionKeychain] { _ = try Self.flag(value) }
    if operation != .add, dictionary[kSecUseKeychain] != nil { throw StatusError(errSecParam) }
    let matches = dictionary.keys.filter {
      $0.hasPrefix("m_") && $0 != kSecMatchItemList && (operation == .add || $0 != kSecMatchSearchList)
    }
    if operation != .search, !matches.isEmpty || authenticationUI == .skip { throw StatusError(errSecParam) }
    if operation == .update, !returns.isEmpty { throw StatusError(errSecParam) }
    if operation == .update || operation == .delete, names != nil, !attributes.isEmpty {
      throw StatusError(errSecParam)
    }
    let isBoth = attributes[.synchronizable] == AttributeForm.bothKinds
    if operation == .add {
      if isBoth { throw StatusError(errSecParam) }
    } else if isBoth {
      attributes[.synchronizable] = nil
    } else if attributes[.synchronizable] == nil, names == nil {
      attributes[.synchronizable] = "0"
    }
  }

  private static func limit(_ value: Any) throws(StatusError) -> Int {
    if let text = value as? String {
      switch text {
      case kSecMatchLimitOne: return 1
      case kSecMatchLimitAll: return .max
      default: throw StatusError(errSecParam)
      }
    }
    guard let number = value as? NSNumber, number.intValue > 0, NSNumber(value: number.intValue) == number
    else { throw StatusError(errSecParam) }
    return number.intValue
  }

  private static func flag(_ value: Any) throws(StatusError) -> Bool {
    guard let number = value as? NSNumber else { throw StatusError(errSecParam) }
    return number.boolValue
  }
}

extension ItemAttribute {
  static let synchronizable = ItemAttribute.known("sync")
  private static let accessibility = ItemAttribute.known("pdmn")

  /// The equivalent attribute: an access control without flags is its accessibility.
  var place: ItemAttribute { form == .accessControl ? .accessibility : self }

  /// Whether a key has the form of an attribute's key, as one other key does.
  static func isTag(_ key: String) -> Bool {
    key.utf8.count == 4 && key != kSecUseDataProtectionKeychain
  }

  /// The attribute with this key for items of this class, or of any class if it is `nil`.
  ///
  /// - Throws: `errSecNoSuchAttr`
  init(tag: String, of itemClass: ItemClass?) throws(StatusError) {
    guard let attribute = ItemAttribute.named(tag), itemClass.map(attribute.classes.contains) ?? true else {
      throw StatusError(errSecNoSuchAttr)
    }
    self = attribute
  }
}
