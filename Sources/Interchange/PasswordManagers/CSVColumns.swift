import Bytes
import Keychain

/// Where the columns of an export are.
struct CSVColumns {
  /// A column that keeps its name.
  struct Named {
    let index: Int
    let name: ByteString
  }

  /// By their roles.
  private let indices: [Int?]
  let otherAccounts: [Named]
  let tags: [(index: Int, separator: UInt8?, isPath: Bool)]
  let fields: [Named]
  let persons: [Named]

  subscript(role: CSVExport.Role) -> Int? { indices[role.rawValue] }

  /// - Throws: ``FormatFault`` if a necessary column is missing.
  init(of export: CSVExport, in header: [ByteString]) throws(FormatFault) {
    func find(_ name: ByteString) -> Int? { header.firstIndex { $0.isEqualIgnoringCase(name) } }
    func named(_ names: [ByteString]) -> [Named] {
      names.compactMap { name in find(name).map { Named(index: $0, name: header[$0]) } }
    }
    indices = CSVExport.Role.allCases.map { export.columns[$0]?.lazy.compactMap(find).first }
    otherAccounts = named(export.otherAccounts)
    tags = export.tags.compactMap { tag in find(tag.column).map { ($0, tag.separator, tag.isPath) } }
    fields = named(export.fields)
    var persons = export.namedFields.compactMap { field in
      find(field.column).map { Named(index: $0, name: field.name) }
    }
    if export.othersAreFields {
      let known = export.known
      for (index, name) in header.enumerated()
      where !name.isEmpty && !known.contains(where: { $0.isEqualIgnoringCase(name) }) {
        persons.append(Named(index: index, name: name))
      }
    }
    self.persons = persons
    for names in CSVExport.Role.necessary.map({ export.columns[$0] }) + [export.ownColumn.map { [$0] }] {
      guard let names, let name = names.first, names.allSatisfy({ find($0) == nil }) else { continue }
      throw FormatFault("it has no column \"\(name)\"", line: 1)
    }
  }
}
