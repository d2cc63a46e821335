import Bytes
import Keychain

struct CSVColumns {
  /// A column that keeps its name.
  struct Named {
    let index: Int
    let name: ByteString
  }

  let name: Int?
  let url: Int?
  let otherURL: Int?
  let account: Int?
  let otherAccounts: [Named]
  let password: Int?
  let notes: Int?
  let code: Int?
  let tags: [(index: Int, separator: UInt8?, isPath: Bool)]
  let fields: [Named]
  let persons: [Named]
  let kind: Int?
  let group: Int?
  let created: Int?
  let modified: Int?
  let ownFields: Int?

  /// - Throws: ``FormatFault`` if a necessary column is missing.
  init(of export: CSVExport, in header: [ByteString]) throws(FormatFault) {
    func find(_ names: [ByteString]) -> Int? {
      for name in names {
        if let column = header.firstIndex(where: { $0.isEqualIgnoringCase(name) }) { return column }
      }
      return nil
    }
    func need(_ names: [ByteString]) throws(FormatFault) -> Int? {
      guard let name = names.first else { return nil }
      guard let column = find(names) else { throw FormatFault("it has no column \"\(name)\"", line: 1) }
      return column
    }
    func named(_ names: [ByteString]) -> [Named] {
      names.compactMap { name in find([name]).map { Named(index: $0, name: header[$0]) } }
    }
    name = try need(export.name)
    url = try need(export.url)
    otherURL = find(export.otherURL)
    account = try need(export.account)
    otherAccounts = named(export.otherAccounts)
    password = try need(export.password)
    notes = find(export.notes)
    code = find(export.code)
    tags = export.tags.compactMap { tag in find([tag.column]).map { ($0, tag.separator, tag.isPath) } }
    fields = named(export.fields)
    kind = export.kind.flatMap { find([$0.column]) }
    group = try need(export.group.map { [$0.column] } ?? [])
    created = find(export.dates.map { [$0.created] } ?? [])
    modified = find(export.dates.map { [$0.modified] } ?? [])
    ownFields = find(export.ownFields.map { [$0] } ?? [])
    if let own = export.ownColumn { _ = try need([own]) }
    var persons = export.namedFields.compactMap { field in
      find([field.column]).map { Named(index: $0, name: field.name) }
    }
    if export.othersAreFields {
      let known = export.known
      for (index, name) in header.enumerated()
      where !name.isEmpty && !known.contains(where: { $0.isEqualIgnoringCase(name) }) {
        persons.append(Named(index: index, name: name))
      }
    }
    self.persons = persons
  }
}
