import Bytes
package import Keychain
package import PrivateFiles

/// The file `hidden` of the state folder: the items of shared keychains hidden on this machine.
///
/// Each line is `KEYCHAIN DATE REFERENCE`: the item's modification date in milliseconds since 1970, or `-`, and its
/// reference in hexadecimal digits. Nothing in it is secret.
package final class HiddenItemFile: ItemHiding {
  private let file: StateLines
  private let tell: (Durability) -> Void

  private struct Entry: Hashable {
    let keychain: String
    let item: HiddenItem
  }

  /// - Parameter tell: told each time whether the change survives a loss of power.
  package init(in stateFolder: String, tell: @escaping (Durability) -> Void) {
    file = StateLines("hidden", in: stateFolder)
    self.tell = tell
  }

  package func hidden(in keychain: String) throws(KeychainError) -> Set<HiddenItem> {
    // Read each time: other processes hide and reveal meanwhile.
    Set(try read().filter { $0.keychain == keychain }.map(\.item))
  }

  package func hide(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError) {
    try change { entries in
      // An earlier entry is for a former state of the item.
      let references = Set(items.map(\.reference))
      entries.removeAll { $0.keychain == keychain && references.contains($0.item.reference) }
      entries += items.map { Entry(keychain: keychain, item: $0) }
    }
  }

  package func reveal(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError) {
    try change { entries in entries.removeAll { $0.keychain == keychain && items.contains($0.item) } }
  }

  /// Shows all items of a keychain again.
  ///
  /// - Throws: ``KeychainError`` if it can't be written.
  package func revealAll(in keychain: String) throws(KeychainError) {
    try change { entries in entries.removeAll { $0.keychain == keychain } }
  }

  private func read() throws(KeychainError) -> [Entry] { try parse(try file.read()) }

  private func parse(_ lines: [String]) throws(KeychainError) -> [Entry] {
    var entries: [Entry] = []
    for line in lines {
      guard let entry = Self.entry(line) else {
        throw .damaged(path: file.path, detail: "a line can't be understood")
      }
      entries.append(entry)
    }
    return entries
  }

  private static func entry(_ line: String) -> Entry? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, ListedKeychain.isName(String(words[0])),
      !words[2].isEmpty, let reference = [UInt8](hexadecimal: words[2].utf8)
    else { return nil }
    var date: Timestamp?
    if words[1] != "-" {
      guard let number = Int64(words[1]) else { return nil }
      date = Timestamp(milliseconds: number)
    }
    let item = HiddenItem(reference: ItemReference(ByteString(reference)), modificationDate: date)
    return Entry(keychain: String(words[0]), item: item)
  }

  private static func line(_ entry: Entry) -> String {
    let date = entry.item.modificationDate.map { "\($0.milliseconds)" } ?? "-"
    return "\(entry.keychain) \(date) \(hexadecimal(entry.item.reference?.bytes.bytes ?? []))"
  }

  private func change(_ body: (inout [Entry]) -> Void) throws(KeychainError) {
    let written = try file.change { (lines) throws(KeychainError) in
      var entries = try parse(lines)
      body(&entries)
      lines = entries.map(Self.line)
    }
    if let written { tell(written) }
  }
}
