import Expectations
import Foundation
import Testing

/// Checks every row of the article "Keychain Services on Linux".
@Suite struct DocumentedTableTests {
  @Test("each row says one of the three things, and no name has two")
  func wellFormed() throws {
    let rows = try DocumentedTable.read().rows
    expect(rows.count > 200)
    var seen: Set<String> = []
    for row in rows { expect(seen.insert(row.bareName).inserted, "\(row.name) has two rows") }
  }

  @Test("a row that says none of the three things is noticed")
  func malformed() {
    let header = "| Name | On Linux |\n|---|---|\n"
    #expect(throws: Never.self) { try DocumentedTable(parsing: header + "| `a` | same |\n") }
    for row in ["| `a` | differs |", "| `a` | differs: |", "| `a` | Same |", "| `a` |", "| `a` | same"] {
      #expect(throws: DocumentedTable.Malformed.self, "\(row)") { try DocumentedTable(parsing: header + row) }
    }
  }

  @Test("each public name of the module has a row, and each row's name is public")
  func names() throws {
    let documented = Set(try DocumentedTable.read().rows.filter { !$0.isRule }.map(\.bareName))
    let there = try DocumentedTable.publicNames()
    expect(there.subtracting(documented).sorted(), is: [], "without a row")
    expect(documented.subtracting(there).sorted(), is: [], "not in the module")
  }

  @Test("each constant has the value that its row says")
  func values() throws {
    let rows = try DocumentedTable.read().rows.filter { !$0.isRule }
    let cells = Dictionary(rows.map { ($0.name, $0.cells["Value"]) }) { first, _ in first }
    for (name, value) in textConstants { expect(cells[name], is: "\"\(value)\"", "\(name)") }
    for (name, value) in statusConstants { expect(cells[name], is: "\(value)", "\(name)") }
    let constants = Set(textConstants.map(\.key) + statusConstants.map(\.key))
    let named = Set(
      try DocumentedTable.publicNames().filter { $0.hasPrefix("kSec") || $0.hasPrefix("errSec") })
    expect(named.subtracting(constants).sorted(), is: ["kSecRandomDefault"])
  }

  @Test("each row has a check, and each check a row")
  func complete() throws {
    let rows = try DocumentedTable.read().rows
    for row in rows { expect(RowCheck(row) != nil, "nothing checks \(row.name)") }
    let names = Set(rows.map(\.bareName))
    let checks = nameChecks.map(\.key) + ruleChecks.map(\.key) + programChecks.map(\.key)
    for name in checks { expect(names.contains(name), "no row for the check \(name)") }
    expect(Set(checks).count, is: checks.count)
  }

  @Test("no row says more or fewer differences than are meant")
  func differences() throws {
    let differing = try DocumentedTable.read().rows.filter {
      if case .differs = $0.verdict { true } else { false }
    }
    expect(differing.map(\.bareName), is: meantDifferences)
  }

  @Test("what a row says is so", arguments: try DocumentedTable.read().rows.flatMap(RowOnKeychain.all))
  func row(_ row: RowOnKeychain) throws {
    try #require(RowCheck(row.row)).run(on: row.keychain)
  }
}

/// A row, and a keychain on which to check it.
struct RowOnKeychain: CustomTestStringConvertible {
  let row: DocumentedTable.Row
  let keychain: String

  static func all(of row: DocumentedTable.Row) -> [RowOnKeychain] {
    (RowCheck(row)?.keychains ?? []).map { RowOnKeychain(row: row, keychain: $0) }
  }

  var testDescription: String { "\(row.name), \(keychain)" }
}

extension DocumentedTable.Row {
  /// The name; for a function, without its parameters.
  var bareName: String { isRule ? name : String(name.prefix { $0 != "(" }) }
}

/// The names and rules that differ on Linux, in the article's order. Each is a decision, and its check tests what the
/// row says.
private let meantDifferences = [
  "CFString",
  "CFData",
  "CFArray",
  "CFDate",
  "CFBoolean",
  "CFNumber",
  "CFError",
  "SecKeychainItem",
  "SecAccessControl",
  "SecCertificate",
  "SecCopyErrorMessageString",
  "SecAccessControlCreateWithFlags",
  "SecKeychainSetPassphraseHandler",
  "kSecAttrPath",
  "kSecAttrIsNegative",
  "kSecAttrAccessGroup",
  "kSecAttrSynchronizable",
  "kSecAttrAccessControl",
  "kSecAttrAuthenticationTypeDefault",
  "kSecMatchSearchList",
  "kSecUseKeychain",
  "absent port",
  "case in a key",
  "absent authentication type",
  "line break in a key",
  "add without an access group",
  "size of a secret",
  "size of an attribute",
  "size of an item",
  "case of a server",
  "slashes of a path",
  "port in a query",
  "access group in a query",
  "items of other programs",
  "access group as a boundary",
]
