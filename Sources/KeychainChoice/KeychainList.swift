import Bytes
package import Keychain
package import PrivateFiles

/// The search list: the keychains to ask, in order, if none is named.
///
/// It is in the file `keychain-list` of the state folder, a line for each keychain: `NAME` for a kind's own, else
/// `NAME KIND PLACE`, followed by `SETTING=VALUE` for each setting. Words are separated by a space; in them, `%XX`
/// stands for the byte with these hexadecimal digits. Empty lines and those that begin with `#` don't count.
package struct KeychainList: Hashable, Sendable {
  /// In order; each has another name.
  package private(set) var keychains: [ListedKeychain] = []

  package enum Fault: Error, Hashable, Sendable {
    /// It can't be a name; see ``ListedKeychain/isName(_:)``.
    case noName
    /// There is no such kind, or its only keychain is its own.
    case unknownKind
    /// It doesn't say where the keychain is.
    case noPlace
    /// It isn't `SETTING=VALUE`.
    case noOption
    /// A name or a setting is there already.
    case twice
    case tooMany
    /// It isn't UTF-8, or `%` doesn't begin an escape.
    case notText
    /// The file is empty, but should have at least a line.
    case isCutOff
  }

  /// A line that can't be understood.
  package struct Malformed: Error, Hashable, Sendable {
    /// The number of the line, from 1.
    package let line: Int
    package let fault: Fault

    package init(line: Int, fault: Fault) {
      self.line = line
      self.fault = fault
    }
  }

  /// The largest file, in bytes.
  package static let maximumSize = 65_536
  package static let maximumCount = 32

  package init() {}

  /// The listed or built-in keychain of that name.
  package func keychain(named name: String) -> ListedKeychain? {
    if let keychain = keychains.first(where: { $0.name == name }) { return keychain }
    return KeychainKind(rawValue: name).flatMap { $0.hasBuiltIn ? ListedKeychain(builtIn: $0) : nil }
  }

  /// The order of asking if new items go to this keychain. If it isn't listed, it comes first.
  package func order(newItemsIn home: ListedKeychain) -> [ListedKeychain] {
    keychains.contains { $0.name == home.name } ? keychains : [home] + keychains
  }

  /// Whether the list has a keychain that only a companion can reach.
  package var needsCompanion: Bool { keychains.contains { $0.kind.needsCompanion } }

  /// Adds a keychain at the end.
  ///
  /// - Throws: ``Fault``
  package mutating func add(_ keychain: ListedKeychain) throws(Fault) {
    if !ListedKeychain.isName(keychain.name) { throw .noName }
    if keychains.contains(where: { $0.name == keychain.name }) { throw .twice }
    if keychains.count == Self.maximumCount { throw .tooMany }
    keychains.append(keychain)
  }

  /// Removes a keychain. Returns whether it was there.
  package mutating func remove(_ name: String) -> Bool {
    guard let index = keychains.firstIndex(where: { $0.name == name }) else { return false }
    keychains.remove(at: index)
    return true
  }

  /// Replaces a former keychain by one of the same name. Returns whether the former was there, exactly as given.
  package mutating func replace(_ former: ListedKeychain, with keychain: ListedKeychain) -> Bool {
    guard let index = keychains.firstIndex(of: former) else { return false }
    keychains[index] = keychain
    return true
  }

  /// Puts keychains first, in this order. Built-in ones that were not listed become listed.
  package mutating func putFirst(_ first: [ListedKeychain]) {
    let names = Set(first.map(\.name))
    keychains = first + keychains.filter { !names.contains($0.name) }
  }

  // MARK: Text

  /// - Throws: ``Malformed``
  package init(parsing text: UnsafeRawBufferPointer) throws(Malformed) {
    var (number, lines) = (0, Lines(text))
    while let line = lines.next() {
      number += 1
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      do throws(Fault) {
        try add(Self.keychain(line))
      } catch {
        throw Malformed(line: number, fault: error)
      }
    }
    if keychains.isEmpty, let last = text.last, last != 0x0a {
      throw Malformed(line: number, fault: .isCutOff)
    }
  }

  private static func keychain(_ line: UnsafeRawBufferPointer) throws(Fault) -> ListedKeychain {
    var words: [String] = []
    var start = 0
    for index in 0...line.count where index == line.count || line[index] == UInt8(ascii: " ") {
      words.append(try Self.word(UnsafeRawBufferPointer(rebasing: line[start..<index])))
      start = index + 1
    }
    let name = words[0]
    if words.count == 1 {
      guard let kind = KeychainKind(rawValue: name), kind.hasBuiltIn else { throw .unknownKind }
      return ListedKeychain(builtIn: kind)
    }
    guard let kind = KeychainKind(rawValue: words[1]), kind.canBeListed, KeychainKind(rawValue: name) == nil
    else { throw .unknownKind }
    guard words.count > 2, !words[2].isEmpty else { throw .noPlace }
    var options: [ListedKeychain.Option] = []
    for word in words[3...] {
      guard let option = ListedKeychain.Option(word) else { throw .noOption }
      if options.contains(where: { $0.name == option.name }) { throw .twice }
      options.append(option)
    }
    return ListedKeychain(name, kind, at: words[2], options)
  }

  private static func word(_ text: UnsafeRawBufferPointer) throws(Fault) -> String {
    guard let bytes = PercentEncoding.decoded(text), !bytes.contains(0),
      let word = String(validating: bytes, as: UTF8.self)
    else { throw .notText }
    return word
  }

  package var text: String {
    var text = """
      # The keychains that llavero asks, in this order. 'llavero keychain' changes this file.

      """
    for keychain in keychains {
      var words = [keychain.name]
      if !keychain.isBuiltIn {
        words += [keychain.kind.rawValue, keychain.place] + keychain.options.map { "\($0.name)=\($0.value)" }
      }
      text +=
        words.map { PercentEncoding.line($0, hasNoSpaces: true, isCapital: false) }.joined(separator: " ")
        + "\n"
    }
    return text
  }
}

extension ListedKeychain.Option {
  /// Takes `NAME=VALUE`; `nil` if it isn't that. A name has small letters, digits and hyphens.
  package init?(_ word: String) {
    guard let equals = word.firstIndex(of: "=") else { return nil }
    let name = word[..<equals]
    let isName = name.utf8.allSatisfy { 0x61...0x7a ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2d }
    if name.isEmpty || !isName { return nil }
    self.init(String(name), String(word[word.index(after: equals)...]))
  }
}

extension KeychainList {
  /// The name of the file in the state folder.
  package static let fileName = "keychain-list"
  /// The suffix of the list's copy. Only a written list has one: if the list is gone, the copy shows that there was
  /// one. Folders of keychains don't show it: they are made before a keychain is listed, and stay when it is removed.
  package static let copySuffix = ".copy"
  private static let lockName = "keychain-list.lock"
  private static let namesLockName = "keychain-names.lock"
  /// How long to wait for other writers, in seconds.
  private static let patience = 10
  /// How long to wait for another process that adds a keychain, in seconds: a server may take its time, and so may a
  /// person who is asked for a login.
  private static let namesPatience = 900

  /// The list; empty if there never was a file.
  ///
  /// - Throws: ``KeychainError`` if it can't be read or understood, or is missing though there was one.
  package static func read(in stateFolder: String) throws(KeychainError) -> KeychainList {
    guard let text = try contents(in: stateFolder) else { return KeychainList() }
    // We never write an empty file, but a full disk or a crash can leave one, which isn't the same as no list.
    if text.isEmpty {
      throw .choice(.unreadableList(path: "\(stateFolder)/\(fileName)", Malformed(line: 1, fault: .isCutOff)))
    }
    do throws(Malformed) {
      return try text.withUnsafeBytes { (text) throws(Malformed) in try KeychainList(parsing: text) }
    } catch {
      throw .choice(.unreadableList(path: "\(stateFolder)/\(fileName)", error))
    }
  }

  /// The path of the copy of the list at `path`; `nil` if there is none, or it can't be understood.
  package static func usableCopy(of path: String) -> String? {
    let copy = path + copySuffix
    guard let file = try? OpenFile(path: copy), let text = try? file.contents(limit: maximumSize),
      !text.isEmpty
    else { return nil }
    return text.withUnsafeBytes { text in (try? KeychainList(parsing: text)) == nil ? nil : copy }
  }

  private static func contents(in stateFolder: String) throws(KeychainError) -> Secret? {
    guard let folder = try Folder(opening: stateFolder) else { return nil }
    if let text = try fileContents(in: folder) { return text }
    guard try folder.contains(fileName + copySuffix) else { return nil }
    // The first list may have been made since.
    if let text = try fileContents(in: folder) { return text }
    throw .missing(path: folder.path(of: fileName))
  }

  private static func fileContents(in folder: borrowing Folder) throws(KeychainError) -> Secret? {
    guard let file = try folder.file(fileName) else { return nil }
    return try file.contents(limit: maximumSize)
  }

  /// Changes the list while nobody else does.
  ///
  /// - Returns: the result of `body`, and whether the change survives a loss of power.
  /// - Throws: ``KeychainError``; nothing is changed then. A file that can't be understood is never replaced.
  package static func change<Result>(
    in stateFolder: String, _ body: (inout KeychainList) throws(KeychainError) -> Result
  ) throws(KeychainError) -> (Result, Durability) {
    let folder = try Folder(creating: stateFolder)
    let lock = try Self.lock(folder)
    defer { withExtendedLifetime(lock) {} }
    var list = try read(in: stateFolder)
    let result = try body(&list)
    if list.keychains.count > maximumCount { throw .choice(.refusedChange(.tooMany)) }
    let text = Secret(list.text)
    if text.count > maximumSize { throw .tooLarge(what: folder.path(of: fileName), limit: maximumSize) }
    let durability = try text.withUnsafeBytes { (bytes) throws(KeychainError) in
      let durability = try folder.replace(fileName, with: bytes)
      // After the list, so that a copy never comes first. Without a copy, the list is as good.
      _ = try? folder.replace(fileName + copySuffix, with: bytes)
      return durability
    }
    return (result, durability)
  }

  /// The right to give names to keychains. A process that adds one makes folders and keys by its name, and asks
  /// servers, before it is in the list.
  ///
  /// - Parameter onWaiting: called once, after five seconds of waiting for another process.
  /// - Throws: as ``FileLock`` does.
  package static func lockNames(
    in stateFolder: String, onWaiting: () -> Void
  ) throws(KeychainError) -> FileLock {
    let folder = try Folder(creating: stateFolder)
    return try FileLock(namesLockName, in: folder, patience: namesPatience, onWaiting: onWaiting)
  }

  /// The right to change the list, or the remembered choice.
  ///
  /// - Throws: as ``FileLock`` does.
  static func lock(_ stateFolder: borrowing Folder) throws(KeychainError) -> FileLock {
    try FileLock(lockName, in: stateFolder, patience: patience) {}
  }
}
