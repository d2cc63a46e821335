import Bytes
import Expectations
import Glibc
import Keychain
import KeychainChoice
import TestSupport
import Testing

@Suite("the file with the search list") struct KeychainListTests {
  private func parse(_ text: String) throws(KeychainList.Malformed) -> KeychainList {
    let text = Secret(text)
    return try text.withUnsafeBytes { (bytes) throws(KeychainList.Malformed) in
      try KeychainList(parsing: bytes)
    }
  }

  @Test("has a line for each keychain")
  func lines() throws {
    let list = try parse("# comment\n\nfile\r\nwork file /mnt/my%20work identity=/k%3d\nsecret-service")
    expect(
      list.keychains,
      is: [
        ListedKeychain(builtIn: .file),
        ListedKeychain("work", .file, at: "/mnt/my work", [.init("identity", "/k=")]),
        ListedKeychain(builtIn: .secretService),
      ])
  }

  @Test(
    "the address of a repository is shown without a login, which is part of it to ssh alone",
    arguments: [
      ("https://ann@git.example/a@b.git", "https://git.example/a@b.git"),
      ("http://ann:x@y@git.example:80", "http://git.example:80"),
      ("https://git.example/a@b.git", "https://git.example/a@b.git"),
      ("ssh://git@git.example/a.git", "ssh://git@git.example/a.git"),
      ("git@git.example:team/a.git", "git@git.example:team/a.git"), ("/srv/a@b.git", "/srv/a@b.git"),
    ])
  func shownPlace(place: String, shown: String) {
    expect(ListedKeychain("team", .git, at: place).shownPlace, is: shown)
  }

  @Test(
    "is refused as a whole if a line can't be understood",
    arguments: [
      ("work", KeychainList.Fault.unknownKind), ("work file", .noPlace), ("work file ", .noPlace),
      ("work vault /x", .unknownKind), ("Work file /x", .noName), ("-x file /x", .noName),
      ("a/b file /x", .noName), ("work file /x identity", .noOption), ("work file /x =y", .noOption),
      ("work file /x a=1 a=2", .twice), ("file\nfile", .twice), ("file file /x", .unknownKind),
      ("work forwarded /x", .unknownKind), ("work file /x%", .notText), ("work file /x%0", .notText),
      ("work file /x%zz", .notText), ("work file /%ff", .notText), ("work file /%00", .notText),
      ("work  file /x", .unknownKind), (" file", .noPlace),
    ])
  func malformed(text: String, fault: KeychainList.Fault) {
    let line = text.utf8.count { $0 == 0x0a } + 1
    #expect(throws: KeychainList.Malformed(line: line, fault: fault)) { try parse(text) }
    #expect(throws: KeychainList.Malformed(line: line + 1, fault: fault)) {
      try parse("secret-service\n" + text)
    }
  }

  @Test("is none if it ends before the first keychain")
  func cutOff() throws {
    let whole = Array(KeychainList().text.utf8)
    try expect(parse(String(decoding: whole, as: UTF8.self)).keychains.isEmpty)
    for count in 1..<whole.count {
      #expect(throws: KeychainList.Malformed(line: 1, fault: .isCutOff)) {
        try parse(String(decoding: whole.prefix(count), as: UTF8.self))
      }
    }
  }

  @Test("is read back as it was written, whatever is in it", arguments: 0..<200)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("ab /%=\n\r\t\u{7f}\u{e9}\u{1F511}-._0")
    func text(_ count: Int) -> String {
      String((0..<count).compactMap { _ in alphabet.randomElement(using: &random) })
    }
    var list = KeychainList()
    for kind in KeychainKind.allCases.shuffled(using: &random).prefix(2) where kind.hasBuiltIn {
      try list.add(ListedKeychain(builtIn: kind))
    }
    for number in 0..<Int.random(in: 0...8, using: &random) {
      let options = (0..<Int.random(in: 0...3, using: &random)).map {
        ListedKeychain.Option("o\($0)", text(Int.random(in: 0...9, using: &random)))
      }
      try list.add(
        ListedKeychain("k\(number)", .file, at: "/" + text(Int.random(in: 0...20, using: &random)), options))
    }
    try expect(parse(list.text), is: list)
  }

  @Test(
    "no bytes at all bring the reader down, and what it reads it writes and reads again", arguments: 0..<300)
  func anyBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = [
      "file", "work", " ", "\n", "/x", "%", "20", "=", "identity", "secret-service", "#", "\u{0}", "\r",
    ]
    let text = (0..<Int.random(in: 0...30, using: &random))
      .compactMap { _ in words.randomElement(using: &random) }.joined()
    guard let list = try? parse(text) else { return }
    try expect(parse(list.text), is: list)
  }

  @Test("a keychain that isn't listed is asked first if new items go to it")
  func order() throws {
    let list = try parse("work file /x\nold file /y\n")
    let file = ListedKeychain(builtIn: .file)
    expect(list.order(newItemsIn: file).map(\.name), is: ["file", "work", "old"])
    let old = try #require(list.keychain(named: "old"))
    expect(list.order(newItemsIn: old).map(\.name), is: ["work", "old"])
    expect(list.keychain(named: "file") == file && list.keychain(named: "new") == nil)
    expect(KeychainList().order(newItemsIn: file), is: [file])
  }

  @Test("putting some first leaves the order of the others")
  func putFirst() throws {
    var list = try parse("a file /a\nb file /b\nc file /c\n")
    list.putFirst([try #require(list.keychain(named: "c")), ListedKeychain(builtIn: .secretService)])
    expect(list.keychains.map(\.name), is: ["c", "secret-service", "a", "b"])
    expect(list.remove("a") && !list.remove("a"))
  }

  @Test("has at most 32 keychains")
  func bound() throws {
    var list = KeychainList()
    for number in 0..<32 { try list.add(ListedKeychain("k\(number)", .file, at: "/x")) }
    #expect(throws: KeychainList.Fault.tooMany) { try list.add(ListedKeychain("more", .file, at: "/x")) }
    let folder = TemporaryFolder()
    let state = folder["state"]
    list.putFirst([ListedKeychain(builtIn: .file)])
    #expect(throws: KeychainError.self) { try KeychainList.change(in: state) { $0 = list } }
    try expect(KeychainList.read(in: state).keychains.isEmpty)
  }

  private func add(_ name: String, in state: String) throws(KeychainError) {
    _ = try KeychainList.change(in: state) { (list) throws(KeychainError) in
      do throws(KeychainList.Fault) {
        try list.add(ListedKeychain(name, .file, at: "/\(name)"))
      } catch {
        throw .choice(.refusedChange(error))
      }
    }
  }

  @Test("is not taken for empty if it is gone, and is as its copy has it")
  func missing() throws {
    let folder = TemporaryFolder()
    let (state, path) = (folder["state"], folder["state/keychain-list"])
    // As an 'add' leaves it that is killed before the keychain is listed.
    folder.makeFolder("state/keychains/a")
    try expect(KeychainList.read(in: state).keychains.isEmpty)
    try add("a", in: state)
    try add("b", in: state)
    try expect(KeychainList.change(in: state) { $0.remove("a") }.0)
    unlink(path)
    #expect(throws: KeychainError.missing(path: path)) { try KeychainList.read(in: state) }
    #expect(throws: KeychainError.missing(path: path)) { try add("c", in: state) }
    expect(folder.read("state/keychain-list"), is: nil)
    rename(path + ".copy", path)
    try expect(KeychainList.read(in: state).keychains.map(\.name), is: ["b"])
    // Without the copy nothing says that there was one.
    unlink(path)
    try expect(KeychainList.read(in: state).keychains.isEmpty)
    // Nor is one that was emptied missing.
    try add("a", in: state)
    try expect(KeychainList.change(in: state) { $0.remove("a") }.0)
    try expect(KeychainList.read(in: state).keychains.isEmpty)
  }

  @Test("is changed by one process at a time, and never if it can't be understood")
  func changing() throws {
    let folder = TemporaryFolder()
    let state = folder["state"]
    try add("a", in: state)
    try expect(KeychainList.read(in: state).keychains.map(\.name), is: ["a"])
    let path = folder["state/keychain-list"]
    folder.write(Array("a file".utf8), to: "state/keychain-list")
    #expect(throws: KeychainError.choice(.unreadableList(path: path, .init(line: 1, fault: .noPlace)))) {
      _ = try KeychainList.change(in: state) { _ = $0.remove("a") }
    }
    expect(folder.read("state/keychain-list"), is: Array("a file".utf8))
  }

  @Test("has a copy to put in its place, if that can be understood")
  func usableCopy() throws {
    let folder = TemporaryFolder()
    let path = folder["state/keychain-list"]
    try add("a", in: folder["state"])
    folder.write(Array("a file".utf8), to: "state/keychain-list")
    expect(KeychainList.usableCopy(of: path), is: path + ".copy")
    for text in ["", "a file"] {
      folder.write(Array(text.utf8), to: "state/keychain-list.copy")
      expect(KeychainList.usableCopy(of: path), is: nil)
    }
    unlink(path + ".copy")
    expect(KeychainList.usableCopy(of: path), is: nil)
  }
}

@Suite("the file with hidden items") struct HiddenItemFileTests {
  private let folder = TemporaryFolder()
  /// The file, as a process that starts now has it.
  private var file: HiddenItemFile { HiddenItemFile(in: folder["state"], tell: { _ in }) }
  private let item = HiddenItem(
    reference: ItemReference("/org/x: y"), modificationDate: Timestamp(milliseconds: 1_700_000_000_123))

  @Test("keeps what is hidden, for each keychain")
  func keeps() throws {
    let dateless = HiddenItem(reference: ItemReference("b"), modificationDate: nil)
    try file.hide([item, dateless], in: "team")
    try expect(file.hidden(in: "team"), is: [item, dateless])
    try expect(file.hidden(in: "other").isEmpty)
    try file.reveal([item], in: "other")
    try file.reveal([item], in: "team")
    try expect(file.hidden(in: "team"), is: [dateless])
    try file.revealAll(in: "team")
    try expect(file.hidden(in: "team").isEmpty)
  }

  @Test("what another process hides and reveals counts at once")
  func others() throws {
    let (own, other) = (file, file)
    try expect(own.hidden(in: "team").isEmpty)
    try other.hide([item], in: "team")
    try expect(own.hidden(in: "team"), is: [item])
    try own.hide([item], in: "team")
    try other.revealAll(in: "team")
    try expect(own.hidden(in: "team").isEmpty)
  }

  @Test("an item that is hidden in a new state isn't in the former one")
  func newState() throws {
    let later = HiddenItem(reference: item.reference, modificationDate: Timestamp(milliseconds: 1))
    let own = file
    try own.hide([item], in: "team")
    try own.hide([later], in: "team")
    try expect(file.hidden(in: "team"), is: [later])
  }

  @Test(
    "a line that can't be understood is an error",
    arguments: ["team 1", "team x 61", "team 1 6", "team 1 ", "TEAM 1 61", "team 1 61 62", "\u{0}"])
  func malformed(line: String) throws {
    try file.hide([item], in: "team")
    folder.write(Array(line.utf8), to: "state/hidden")
    #expect(throws: KeychainError.self) { try file.hidden(in: "team") }
    #expect(throws: KeychainError.self) { try file.hide([item], in: "team") }
    expect(folder.read("state/hidden"), is: Array(line.utf8))
  }
}
