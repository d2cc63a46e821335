import Bytes
package import Keychain
import PrivateFiles

/// The file `hidden` of the state folder: which items of shared keychains are hidden on this machine.
///
/// It has a line for each item: `KEYCHAIN DATE REFERENCE`, with the item's modification date in milliseconds since
/// 1970, or `-`, and the reference in hexadecimal digits. There is no secret in it.
package final class HiddenItemFile: ItemHiding {
  private let stateFolder: String

  private struct Entry: Hashable {
    let keychain: String
    let item: HiddenItem
  }

  private static let name = "hidden"
  private static let lockName = "hidden.lock"
  /// The largest file, in bytes. The oldest entries give way.
  private static let maximumSize = 1 << 20
  /// For how long other writers are waited for, in seconds.
  private static let patience = 10

  package init(in stateFolder: String) {
    self.stateFolder = stateFolder
  }

  package func hidden(in keychain: String) throws(KeychainError) -> Set<HiddenItem> {
    // Each time: other processes hide and reveal meanwhile.
    Set(try read().filter { $0.keychain == keychain }.map(\.item))
  }

  package func hide(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError) {
    try change { entries in
      // What an item was hidden for before has changed since.
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
  /// - Throws: ``KeychainError`` if that can't be written.
  package func revealAll(in keychain: String) throws(KeychainError) {
    try change { entries in entries.removeAll { $0.keychain == keychain } }
  }

  private var path: String { "\(stateFolder)/\(Self.name)" }

  private func read() throws(KeychainError) -> [Entry] {
    guard let folder = try Folder(opening: stateFolder), let file = try folder.file(Self.name) else {
      return []
    }
    return try parse(try file.contents(limit: Self.maximumSize))
  }

  private func parse(_ text: borrowing Secret) throws(KeychainError) -> [Entry] {
    let entries = text.withUnsafeBytes { text -> [Entry]? in
      var (entries, lines): ([Entry], Lines) = ([], Lines(text))
      while let line = lines.next() {
        guard let entry = Self.entry(line) else { return nil }
        entries.append(entry)
      }
      return entries
    }
    guard let entries else { throw .damaged(path: path, detail: "a line can't be understood") }
    return entries
  }

  private static func entry(_ line: UnsafeRawBufferPointer) -> Entry? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, ListedKeychain.isName(String(words[0])),
      let reference = bytes(hexadecimal: words[2])
    else { return nil }
    var date: Timestamp?
    if words[1] != "-" {
      guard let number = Int64(words[1]) else { return nil }
      date = Timestamp(milliseconds: number)
    }
    let item = HiddenItem(reference: ItemReference(ByteString(reference)), modificationDate: date)
    return Entry(keychain: String(words[0]), item: item)
  }

  private static func bytes(hexadecimal text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    if digits.isEmpty || digits.count % 2 != 0 { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexadecimalValue(digits[index]), let low = hexadecimalValue(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func line(_ entry: Entry) -> String {
    let date = entry.item.modificationDate.map { "\($0.milliseconds)" } ?? "-"
    return "\(entry.keychain) \(date) \(hexadecimal(entry.item.reference?.bytes.bytes ?? []))\n"
  }

  private func change(_ body: (inout [Entry]) -> Void) throws(KeychainError) {
    let folder = try Folder(creating: stateFolder)
    let lock = try FileLock(Self.lockName, in: folder, patience: Self.patience) {}
    defer { withExtendedLifetime(lock) {} }
    var entries = try read()
    body(&entries)
    var lines = entries.map(Self.line)
    var size = lines.reduce(0) { $0 + $1.utf8.count }
    while size > Self.maximumSize { size -= lines.removeFirst().utf8.count }
    let text = Secret(lines.joined())
    try text.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(Self.name, with: bytes) }
  }
}
