import Expectations
import Foundation
import Keychain
import Security
import TestSupport
import Testing

/// The way to check a row.
enum RowCheck {
  /// On separate keychains, once each.
  case keychain([KeychainUnderTest], (any KeychainStore) throws -> Void)
  /// By separate programs: one of ``ProgramTests``, which runs by itself.
  case programs

  /// Returns `nil` if nothing checks the row.
  init?(_ row: DocumentedTable.Row) {
    if programChecks.contains(where: { $0.key == row.bareName }) {
      self = .programs
    } else if let rule = ruleChecks.first(where: { $0.key == row.name && row.isRule }) {
      self = .keychain(KeychainUnderTest.all) { _ in rule.value() }
    } else if row.isRule {
      return nil
    } else if let check = Self.nameCheck(row) {
      self = .keychain(KeychainUnderTest.all.filter { $0.name == "in memory" }, check)
    } else {
      return nil
    }
  }

  private static func nameCheck(_ row: DocumentedTable.Row) -> ((any KeychainStore) throws -> Void)? {
    let name = row.bareName
    if let named = nameChecks.first(where: { $0.key == name }) { return { _ in try named.value() } }
    if let constant = statusConstants.first(where: { $0.key == name }) {
      return { _ in
        expect(SecCopyErrorMessageString(constant.value, nil) as String? == row.cells["Sentence"])
      }
    }
    guard let value = textConstants.first(where: { $0.key == name })?.value else { return nil }
    if let type = row.cells["Type"], let classes = row.cells["Classes"] {
      // Differences that the column names are checked among the rules.
      return AttributeCheck(attribute: value, type: type, classes: classes).map { check in
        { _ in check.run() }
      }
    }
    switch row.verdict {
    case .noMeaning(let what): return meaningless(name, value, what).map { check in { _ in check() } }
    case .same, .differs:
      guard let attribute = attribute(ofValue: name) else { return nil }
      return { keychain in
        if let scheme = row.cells["Kept as"] { try checkScheme(scheme, of: value, in: keychain) }
        checkValue(value, of: attribute)
      }
    }
  }

  /// Other programs find an item with the protocol by its URL scheme.
  private static func checkScheme(_ scheme: String, of value: String, in keychain: any KeychainStore) throws {
    expect(add(internet("scheme.example", "a", [kSecAttrProtocol: value])), is: errSecSuccess)
    var criteria = ItemCriteria()
    criteria[.protocol] = ByteString(scheme)
    let found = try keychain.items(matching: .criteria(criteria))
    expect(found.count, is: 1)
    expect(delete(internet("scheme.example", "a")), is: errSecSuccess)
  }

  /// Checks a name without a meaning here, by what the row says.
  private static func meaningless(_ name: String, _ value: String, _ what: String) -> (() -> Void)? {
    if what.hasPrefix("kept and returned"), let attribute = attribute(ofValue: name) {
      return { checkValue(value, of: attribute) }
    }
    let refusals: [(String, OSStatus)] = [
      ("errSecParam", errSecParam), ("errSecUnimplemented", errSecUnimplemented),
      ("errSecNoSuchAttr", errSecNoSuchAttr),
    ]
    for (text, code) in refusals {
      if what == "refused with `\(text)`" {
        return { checkRefusal(value, with: code, values: [["one"], "text", true]) }
      }
      if what == "refused with `\(text)` if true" {
        return {
          checkRefusal(value, with: code, values: [true])
          expect(status(generic().with([value: false])), is: errSecSuccess)
        }
      }
      if what == "its attribute is refused with `\(text)`", let attribute = attribute(ofValue: name) {
        return { checkRefusal(attribute, with: code, values: [value]) }
      }
    }
    return nil
  }

  /// The attribute that a constant is a value of.
  private static func attribute(ofValue name: String) -> String? {
    let attributes: KeyValuePairs = [
      "kSecAttrProtocol": kSecAttrProtocol, "kSecAttrAuthenticationType": kSecAttrAuthenticationType,
      "kSecAttrAccessible": kSecAttrAccessible, "kSecAttrKeyClass": kSecAttrKeyClass,
      "kSecAttrKeyType": kSecAttrKeyType, "kSecAttrPRF": kSecAttrPRF, "kSecAttrTokenID": kSecAttrTokenID,
    ]
    return attributes.first { name.hasPrefix($0.key) && name != $0.key }?.value
  }

  /// The names of the keychains that the check runs on.
  var keychains: [String] {
    switch self {
    case .programs: []
    case .keychain(let kinds, _): kinds.map(\.name)
    }
  }

  /// Runs the check on a separate keychain.
  func run(on keychain: String) throws {
    guard case .keychain(let kinds, let check) = self else { return }
    let fresh = try #require(kinds.first { $0.name == keychain }).make(at: .now)
    try KeychainAccess.withKeychain(
      { _ throws(KeychainError) in fresh.keychain }, perform: { try check(fresh.keychain) })
  }
}

/// Rules that can only be checked in separate processes, and the tests that do.
var programChecks: KeyValuePairs<String, Any> {
  [
    "locked, and nobody may be asked": ProgramTests.locked,
    "locked, and left out": ProgramTests.locked,
    "SecKeychainSetPassphraseHandler": ProgramTests.passphrase,
    "any thread": ProgramTests.session,
    "another process": ProgramTests.label,
    "reinstallation": ProgramTests.reinstallation,
    "items of other programs": ProgramTests.storedByGit,
  ]
}
