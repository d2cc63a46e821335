import Bytes
import Keychain
package import PrivateFiles

/// The search list: the keychains that are asked one after the other, if none is named.
///
/// It is kept in the file `keychain-list` of the state folder, a line for each keychain: `NAME`, if that is the name of
/// a kind, else `NAME KIND PLACE`, followed by `SETTING=VALUE` for each setting. Words are separated by a space; in
/// them, `%XX` stands for the byte with these hexadecimal digits. Empty lines, and those that begin with `#`, count for
/// nothing.
package struct KeychainList: Hashable, Sendable {
  /// The keychains, in order; each has another name.
  package private(set) var keychains: [ListedKeychain] = []

  /// Why a line, or a change, is refused.
  package enum Fault: Error, Hashable, Sendable {
    /// That can't be a name; see ``ListedKeychain/isName(_:)``.
    case noName
    /// There is no such kind, or it has only the keychain with its own name.
    case unknownKind
    /// It doesn't say where the keychain is.
    case noPlace
    /// It isn't `SETTING=VALUE`.
    case noOption
    /// A name, or a setting, is there already.
    case twice
    /// There are ``maximumCount`` already.
    case tooMany
    /// It isn't UTF-8, or `%` doesn't begin an escape.
    case notText
    /// There is nothing where at least a line should be.
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
  /// The greatest number of keychains.
  package static let maximumCount = 32

  /// An empty list.
  package init() {}

  /// The keychain of that name: one of the list, or a built-in one.
  package func keychain(named name: String) -> ListedKeychain? {
    if let keychain = keychains.first(where: { $0.name == name }) { return keychain }
    return KeychainKind(rawValue: name).flatMap { $0.hasBuiltIn ? ListedKeychain(builtIn: $0) : nil }
  }

  /// The keychains in the order in which they are asked, if new items go to this one. If it isn't listed, it is asked
  /// first.
  package func order(newItemsIn home: ListedKeychain) -> [ListedKeychain] {
    keychains.contains { $0.name == home.name } ? keychains : [home] + keychains
  }

  /// Whether one of them is the Secret Service, which only the companion can reach.
  package var needsSecretService: Bool { keychains.contains { $0.kind == .secretService } }

  /// Adds a keychain at the end.
  ///
  /// - Throws: ``Fault``
  package mutating func add(_ keychain: ListedKeychain) throws(Fault) {
    if !ListedKeychain.isName(keychain.name) { throw .noName }
    if keychains.contains(where: { $0.name == keychain.name }) { throw .twice }
    if keychains.count == Self.maximumCount { throw .tooMany }
    keychains.append(keychain)
  }

  /// Takes a keychain from the list. Returns whether it was there.
  package mutating func remove(_ name: String) -> Bool {
    guard let index = keychains.firstIndex(where: { $0.name == name }) else { return false }
    keychains.remove(at: index)
    return true
  }

  /// Puts a keychain in the place of a former one of its name. Returns whether that was there, just as it is given.
  package mutating func replace(_ former: ListedKeychain, with keychain: ListedKeychain) -> Bool {
    guard let index = keychains.firstIndex(of: former) else { return false }
    keychains[index] = keychain
    return true
  }

  /// Puts keychains first, in this order. Built-in ones that were not listed come into the list by that.
  package mutating func putFirst(_ first: [ListedKeychain]) {
    let names = Set(first.map(\.name))
    keychains = first + keychains.filter { !names.contains($0.name) }
  }

  // MARK: Text

  /// Reads a list.
  ///
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

  /// The list as text.
  package var text: String {
    var text = """
      # The keychains that llavero asks, in this order. 'llavero keychain' changes this file.

      """
    for keychain in keychains {
      var words = [keychain.name]
      if !keychain.isBuiltIn {
        words += [keychain.kind.rawValue, keychain.place] + keychain.options.map { "\($0.name)=\($0.value)" }
      }
      text += words.map(Self.escaped).joined(separator: " ") + "\n"
    }
    return text
  }

  private static func escaped(_ word: String) -> String {
    var text = ""
    for scalar in word.unicodeScalars {
      if scalar.value <= 0x20 || scalar == "%" || scalar.value == 0x7f {
        let digits = String(scalar.value, radix: 16)
        text += "%" + (digits.count == 1 ? "0" : "") + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
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
  /// What the name of the list's copy ends in. Only a list that was written has one: if the list is gone, the copy says
  /// that there was one. Folders of keychains don't say so, for they are made before a keychain is listed, and stay when
  /// it is removed.
  package static let copySuffix = ".copy"
  private static let lockName = "keychain-list.lock"
  private static let namesLockName = "keychain-names.lock"
  /// For how long other writers are waited for, in seconds.
  private static let patience = 10
  /// For how long another process is waited for that adds a keychain, in seconds: a server may take its time, and so may
  /// whoever is asked for a login.
  private static let namesPatience = 900

  /// The list; empty if there never was a file.
  ///
  /// - Throws: ``KeychainChoiceError/unreadableList(path:_:)`` if it can't be understood, and
  ///   ``KeychainChoiceError/keychain(_:)`` if it can't be read, or is missing though there was one.
  package static func read(in stateFolder: String) throws(KeychainChoiceError) -> KeychainList {
    let contents = try ofChoice { () throws(KeychainError) -> Secret? in
      guard let folder = try Folder(opening: stateFolder) else { return nil }
      if let text = try fileContents(in: folder) { return text }
      guard try folder.contains(fileName + copySuffix) else { return nil }
      // The first list may have been made since.
      if let text = try fileContents(in: folder) { return text }
      throw .missing(path: folder.path(of: fileName))
    }
    guard let text = contents else { return KeychainList() }
    // It is never written like that, but a full disk or a crash can leave it so: no list would say that nothing is
    // there.
    if text.isEmpty {
      throw .unreadableList(path: "\(stateFolder)/\(fileName)", Malformed(line: 1, fault: .isCutOff))
    }
    do throws(Malformed) {
      return try text.withUnsafeBytes { (text) throws(Malformed) in try KeychainList(parsing: text) }
    } catch {
      throw .unreadableList(path: "\(stateFolder)/\(fileName)", error)
    }
  }

  /// The path of a list's copy, if that can be understood; `nil` if it can't, or there is none.
  ///
  /// - Parameter path: the path of the list.
  package static func usableCopy(of path: String) -> String? {
    let copy = path + copySuffix
    guard let file = try? OpenFile(path: copy), let text = try? file.contents(limit: maximumSize),
      !text.isEmpty
    else { return nil }
    return text.withUnsafeBytes { text in (try? KeychainList(parsing: text)) == nil ? nil : copy }
  }

  /// The file's contents; `nil` if there is none.
  private static func fileContents(in folder: borrowing Folder) throws(KeychainError) -> Secret? {
    guard let file = try folder.file(fileName) else { return nil }
    return try file.contents(limit: maximumSize)
  }

  /// Changes the list, while nobody else does.
  ///
  /// - Returns: what `body` has returned, and whether the change survives a loss of power.
  /// - Throws: ``KeychainChoiceError``; then nothing is changed. A file that can't be understood is never replaced.
  package static func change<Result>(
    in stateFolder: String, _ body: (inout KeychainList) throws(KeychainChoiceError) -> Result
  ) throws(KeychainChoiceError) -> (Result, Durability) {
    let folder = try ofChoice { () throws(KeychainError) in try Folder(creating: stateFolder) }
    let lock = try ofChoice { () throws(KeychainError) in try Self.lock(folder) }
    defer { withExtendedLifetime(lock) {} }
    var list = try read(in: stateFolder)
    let result = try body(&list)
    let text = Secret(list.text)
    let durability = try ofChoice { () throws(KeychainError) in
      if text.count > maximumSize { throw .tooLarge(what: folder.path(of: fileName), limit: maximumSize) }
      return try text.withUnsafeBytes { (bytes) throws(KeychainError) in
        let durability = try folder.replace(fileName, with: bytes)
        // After the list, so that there is never a copy before it. Without a copy, the list itself is as good.
        _ = try? folder.replace(fileName + copySuffix, with: bytes)
        return durability
      }
    }
    return (result, durability)
  }

  /// The right to give names to keychains. Whoever adds one makes folders and keys by its name, and asks servers, before
  /// it is in the list.
  ///
  /// - Parameter onWaiting: called once, after five seconds of waiting for another process.
  /// - Throws: as ``FileLock`` does.
  package static func lockNames(
    in stateFolder: String, onWaiting: () -> Void
  ) throws(KeychainChoiceError) -> FileLock {
    try ofChoice { () throws(KeychainError) in
      let folder = try Folder(creating: stateFolder)
      return try FileLock(namesLockName, in: folder, patience: namesPatience, onWaiting: onWaiting)
    }
  }

  /// The right to change the list, or what is remembered of the choice.
  ///
  /// - Throws: as ``FileLock`` does.
  static func lock(_ stateFolder: borrowing Folder) throws(KeychainError) -> FileLock {
    try FileLock(lockName, in: stateFolder, patience: patience) {}
  }

  static func ofChoice<Value: ~Copyable>(
    _ body: () throws(KeychainError) -> Value
  ) throws(KeychainChoiceError) -> Value {
    do { return try body() } catch { throw .keychain(error) }
  }
}

extension KeychainKind {
  /// Whether there is a keychain of this kind that has the kind's name.
  package var hasBuiltIn: Bool {
    switch self {
    case .file, .secretService, .forwarded: true
    case .git, .openBao: false
    }
  }

  /// Whether keychains of this kind can be listed with a name and a place of their own.
  package var canBeListed: Bool {
    switch self {
    case .file, .git, .openBao: true
    case .secretService, .forwarded: false
    }
  }
}
