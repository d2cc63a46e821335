import Bytes
import Keychain

/// The keychain's files in commits of the repository.
extension SharedRepository {
  /// The most to read of a commit, in bytes: a few vaults of the largest size. Otherwise anybody who can write to the
  /// repository could have members read any amount.
  static let contentsLimit = 512 << 20
  /// The longest list of files or versions, in bytes.
  private static let listLimit = 32 << 20
  /// The most files of the keychain in a commit: several times as many as there are before a whole vault replaces
  /// them.
  private static let maximumFiles = 4096
  /// The most versions of files to look at in a history.
  private static let maximumVersions = 100_000

  struct File: Hashable, Sendable {
    let path: String
    /// The object with its contents.
    let object: String
    /// In bytes.
    fileprivate(set) var size: Int
  }

  /// The keychain's files in a commit.
  ///
  /// - Throws: ``SharingFault``; ``SharingFault/tooMuch(what:)`` for more than 4,096 files or 512 MiB.
  func files(in commit: String) throws(SharingFault) -> [File] {
    let output: Secret
    do throws(SharingFault) {
      // Only the contents of that very folder: nested folders could hold more than can be listed.
      output = try git.output(
        ["ls-tree", "-l", "-z", "--full-tree", commit, "--", Self.wholeName, Self.changesName + "/"],
        limit: Self.listLimit)
    } catch .keychain(.tooLarge) {
      throw .tooMuch(what: "files")
    }
    var files: [File] = []
    output.withUnsafeBytes { bytes in
      for entry in bytes.split(separator: 0) {
        // MODE TYPE OBJECT SIZE TAB PATH
        guard let tab = entry.firstIndex(of: 0x09) else { continue }
        let words = entry[..<tab].split(separator: 0x20)
        guard words.count == 4, words[1].elementsEqual("blob".utf8),
          let size = Int(String(decoding: words[3], as: UTF8.self)), size >= 0
        else { continue }
        let path = String(decoding: entry[(tab + 1)...], as: UTF8.self)
        if Self.isOurs(path) {
          files.append(File(path: path, object: String(decoding: words[2], as: UTF8.self), size: size))
        }
      }
    }
    if files.count > Self.maximumFiles { throw .tooMuch(what: "more than \(Self.maximumFiles) files") }
    var room = Self.contentsLimit
    for file in files {
      if file.size > room { throw .tooMuch(what: "more than \(Self.contentsLimit >> 20) MiB") }
      room -= file.size
    }
    return files
  }

  /// Every version of the keychain's files after one commit, up to another one, oldest first; including those in only
  /// one parent of a merge. None if there are too many to list, in bytes or in time: nobody who can write to the
  /// repository must keep members from its present contents.
  func history(from start: String, to end: String) throws(SharingFault) -> [File] {
    if start == end { return [] }
    let output: Secret
    do throws(SharingFault) {
      output = try git.output(
        [
          "log", "--full-history", "-m", "--raw", "-z", "--no-abbrev", "--no-renames", "--reverse",
          "--format=",
          "--diff-filter=AM", "\(start)..\(end)", "--", Self.wholeName, Self.changesName,
        ], limit: Self.listLimit)
    } catch .keychain(.tooLarge) {
      return []
    } catch .tooSlow {
      return []
    }
    var (files, known): ([File], Set<File>) = ([], [])
    output.withUnsafeBytes { bytes in
      // :MODE MODE OBJECT OBJECT STATUS NUL PATH NUL
      var object: String?
      for part in bytes.split(separator: 0) {
        let part = part.drop { $0 == 0x0a }
        if part.first == UInt8(ascii: ":") {
          let words = part.split(separator: 0x20)
          object = words.count == 5 ? String(decoding: words[3], as: UTF8.self) : nil
        } else if let found = object {
          let file = File(path: String(decoding: part, as: UTF8.self), object: found, size: 0)
          if Self.isOurs(file.path), known.insert(file).inserted { files.append(file) }
          object = nil
        }
      }
    }
    files = files.suffix(Self.maximumVersions)
    for (index, size) in try sizes(of: files.map(\.object)).enumerated() { files[index].size = size }
    return files
  }

  /// Whether a path can be that of a file of ours.
  private static func isOurs(_ path: String) -> Bool {
    if path == wholeName { return true }
    guard path.hasPrefix(changesName + "/"), path.hasSuffix(".age") else { return false }
    return !path.dropFirst(changesName.count + 1).utf8.contains(UInt8(ascii: "/"))
  }

  /// The size of each object, in bytes; 0 for a missing one.
  private func sizes(of objects: [String]) throws(SharingFault) -> [Int] {
    if objects.isEmpty { return [] }
    let input = Secret(objects.joined(separator: "\n") + "\n")
    let output = try git.output(
      ["cat-file", "--batch-check=%(objectsize)"], sending: input, limit: Self.listLimit)
    let sizes = Self.lines(output).map { Int($0) ?? 0 }
    guard sizes.count == objects.count else { throw .misunderstood("cat-file") }
    return sizes
  }

  /// The contents of objects, in the same order; empty for a missing one.
  ///
  /// - Parameter objects: together at most twice ``contentsLimit``.
  func contents(of objects: [String]) throws(SharingFault) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var rest = objects[...]
    while !rest.isEmpty {
      let part = rest.prefix(1000)
      rest = rest.dropFirst(1000)
      let input = Secret(part.joined(separator: "\n") + "\n")
      let output = try git.output(
        ["cat-file", "--batch"], sending: input, limit: 2 * Self.contentsLimit + Self.listLimit)
      let contents = output.withUnsafeBytes { Self.batch($0) }
      guard contents.count == part.count else { throw .misunderstood("cat-file") }
      found += contents
    }
    return found
  }

  /// Reads `OBJECT TYPE SIZE LF CONTENTS LF`, or `OBJECT missing LF`, repeatedly.
  static func batch(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var position = 0
    while position < bytes.count, let end = bytes[position...].firstIndex(of: 0x0a) {
      let words = bytes[position..<end].split(separator: 0x20)
      position = end + 1
      guard words.count == 3, let size = Int(String(decoding: words[2], as: UTF8.self)), size >= 0,
        size < bytes.count - position
      else {
        found.append([])
        continue
      }
      found.append(Array(bytes[position..<position + size]))
      position += size + 1
    }
    return found
  }
}
