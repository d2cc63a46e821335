import Age
import Glibc
import Keychain
import PrivateFiles
import TestSupport

@testable import EncryptedFile

/// Some machines with vaults, for a ``Scenario``. Time passes only where it is said.
///
/// In names of files, `vault`, `newest`, `identity`, `seen` and so on are those of llavero, `copy` is what a sync program
/// has put beside the vault, `former` a last write under another name, `out` what a killed writer has exchanged, `@x` is
/// beside the vault's folder, `2/x` on another machine, and `x-*` the only one that begins so. Contents are those of a file,
/// or saved ones: `A+B` are both, `A^` has its last byte changed, `A^20` that one, `A<9` lacks the last nine, `A~` is the
/// first line, and `[1]` one byte.
final class Scene {
  let name: String
  let clock = SettableClock()
  private let files: [String: String]
  private var places: [Character: Place] = [:]
  private var notices: [EncryptedFileKeychain.Notice] = []
  private var saved: [String: [UInt8]] = [:]
  /// Slots' identifiers by the names that a script gives them, and what was shown or made for them.
  private var ids: [String: String] = [:]
  private var texts: [String: String] = [:]
  private var opened: [String: EncryptedFileKeychain] = [:]
  private var marks: [Character: [String: FileFacts]] = [:]
  private var uuids: [Character: String] = [:]
  private var asked: [Int] = []
  private var questions: [String] = []
  private var held: Held?
  private var count = 0
  private var heard = 0
  private var slotFiles: [[UInt8]] = []

  private final class Held {
    let lock: FileLock
    init(_ path: String) throws {
      lock = try FileLock("lock", in: try Folder(creating: path), patience: 0) {}
    }
  }

  init(_ name: String, files: [String: String]) { (self.name, self.files) = (name, files) }

  func place(_ number: Character) -> Place {
    let place = places[number] ?? Place()
    places[number] = place
    return place
  }

  private func keychain(_ subject: String) -> EncryptedFileKeychain {
    if let keychain = opened[subject] { return keychain }
    let place = place(subject.first ?? "1")
    let typed = subject.firstIndex(of: "(").map { open in
      subject[open...].dropFirst().prefix { $0 != ")" }.split(separator: ",").map { spoken(String($0)) }
    }
    var openers = SlotOpeners.withPrograms
    var remembered: String?
    for option in subject.split(separator: ":").dropFirst() {
      let paths = option.drop { $0 != "=" }.dropFirst().split(separator: ",").compactMap {
        try? path(String($0), place)
      }
      switch option.prefix(while: { $0 != "=" }) {
      case "identity": openers.identity = paths.first
      case "others": openers.otherIdentities = paths
      case "remembered": remembered = paths.first
      default: openers.mayRunPrograms = false
      }
    }
    let keychain = EncryptedFileKeychain(
      at: place.location,
      passphrase: { [unowned self] attempt in
        guard let typed else { return nil }
        asked.append(attempt)
        return attempt <= typed.count && typed[attempt - 1] != "nobody" ? Secret(typed[attempt - 1]) : nil
      }, openers: openers, patience: held == nil ? 60 : 1,
      onNotice: { [unowned self] notice in withExtendedLifetime(place) { notices.append(notice) } },
      clock: clock.read,
      remembered: { [remembered] in remembered }
    ).withCheapPassphrases
    if subject.contains("'") { opened[subject] = keychain }
    return keychain
  }

  /// A word of a script as a text: one that was shown or made, or with spaces for underscores.
  private func spoken(_ word: String) -> String {
    texts[word] ?? (word == "''" ? "" : word.replacing("_", with: " "))
  }

  // MARK: Files

  private func path(_ name: String, _ place: Place) throws -> String {
    let folder = place.location.vaultFolder + "/"
    if name.dropFirst().first == "/", let number = name.first, number.isNumber {
      return try path(String(name.dropFirst(2)), self.place(number))
    }
    switch files[name] ?? name {
    case let name
    where name.contains("/") && name.hasSuffix(".age") && ids[String(name.dropFirst(6).dropLast(4))] != nil:
      return place.slots + "/" + (ids[String(name.dropFirst(6).dropLast(4))] ?? "") + ".age"
    case let name where name.hasPrefix("state/slots/"):
      return place.localSlots + "/" + id(String(name.dropFirst(12)))
    case "vault": return place.vault
    case "newest": return place.newestWrite
    case "newest2": return folder + self.place("2").newestWriteName
    case "former": return folder + ".vault.age.newest-0123456789abcdef"
    case "copy": return folder + "vault.sync-conflict-20261121-083000-ABCDEFG.age"
    case "out": return folder + ".vault.age.0123456789abcdef.out.tmp"
    case "identity": return place.identityFile
    case "identity.new": return place.newIdentityFile
    case "seen":
      let state = place.location.stateFolder + "/"
      return state + (names(in: state).first { $0.hasSuffix(".seen") } ?? "none.seen")
    case let name where name.hasPrefix("@"): return place.path + "/" + name.dropFirst()
    case let name where name.hasPrefix("state/"): return place.location.stateFolder + name.dropFirst(5)
    case let name where name.contains("*"):
      var path = place.location.vaultFolder
      for part in name.split(separator: "/") {
        let found = part.hasSuffix("*") ? names(in: path).filter { $0.hasPrefix(part.dropLast()) } : []
        if found.count > 1 { throw Unmet(fact: "there are \(found)") }
        path += "/" + (found.first ?? (part == "newest" ? place.newestWriteName : String(part)))
      }
      return path
    case let name: return folder + name
    }
  }

  private func bytes(_ text: String, _ place: Place) throws -> [UInt8] {
    if text.hasPrefix("[") {
      return text.dropFirst().dropLast().split(separator: ",").compactMap { UInt8($0) }
    }
    if let plus = text.firstIndex(of: "+") {
      return try bytes(String(text[..<plus]), place) + bytes(String(text[plus...].dropFirst()), place)
    }
    guard let mark = text.lastIndex(where: { "^<~".contains($0) }) else {
      return try saved[text] ?? contents(of: path(text, place))
    }
    var bytes = try bytes(String(text[..<mark]), place)
    let numbers = text[mark...].dropFirst().split(separator: ":").compactMap { Int($0) }
    switch text[mark] {
    case "^" where text.hasSuffix(":letter"):
      // Still base64, whatever it was.
      bytes[numbers[0]] = UInt8(ascii: bytes[numbers[0]] == UInt8(ascii: "A") ? "B" : "A")
    case "^":
      let position = numbers.first ?? -1
      bytes[position < 0 ? bytes.count + position : position] ^= UInt8(numbers.dropFirst().first ?? 1)
    case "<": bytes.removeLast(numbers[0])
    default: bytes = Array(bytes.prefix { $0 != 0x0a }) + [0x0a]
    }
    return bytes
  }

  private static let shortNames = [
    ("state/identity.txt", "identity"), ("vault.sync-conflict-20261121-083000-ABCDEFG.age", "copy"),
    (".vault.age.newest-0123456789abcdef", "former"), (".vault.age.0123456789abcdef.out.tmp", "out"),
  ]

  /// What something is as words: without the names of types, and with those of a script.
  func words(_ value: Any) -> String {
    var text = "\(value)".replacing("Optional", with: "")
    for (number, place) in places {
      let machine = number == "1" ? "" : "\(number)/"
      for (file, name) in files {
        text = text.replacing("\(place.location.vaultFolder)/\(name)", with: machine + file)
      }
      let own = [
        (place.location.vaultFolder + "/", ""), (place.location.stateFolder + "/", "state/"),
        (place.path + "/", "@"),
      ]
      for (path, name) in own { text = text.replacing(path, with: machine + name) }
      text = text.replacing(place.newestWriteName, with: "newest")
    }
    for (name, id) in ids { text = text.replacing(id, with: name) }
    for (name, shown) in texts where shown.count > 20 { text = text.replacing(shown, with: name) }
    for (file, name) in Self.shortNames { text = text.replacing(file, with: name) }
    var words: [String] = []
    for var word in text.split(whereSeparator: { " \"(),[]".contains($0) }) {
      if ["Keychain.", "EncryptedFile.", "Age."].contains(where: word.hasPrefix) {
        word = word[(word.lastIndex(of: ".") ?? word.startIndex)...].dropFirst()
      }
      if word == "vault.age" || word.hasSuffix("/vault.age") { word = word.dropLast(4) }
      if ["path:", "id:", "because:", "MergeOutcome", "Restoration", "SlotChanges", "UnmergedFile"].contains(
        word)
      {
        continue
      }
      words.append(Self.withoutRandomPart(String(word)))
    }
    return words.joined(separator: " ")
  }

  private static func withoutRandomPart(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { word in
      guard let dash = word.lastIndex(of: "-") else { return String(word) }
      let end = word[dash...].dropFirst().prefix { $0 != "." }
      return end.count >= 8 && end.allSatisfy(\.isHexDigit) ? word[...dash] + "*" : String(word)
    }.joined(separator: "/")
  }

  // MARK: Verbs

  /// Does one step, and returns what came of it.
  func perform(_ step: [String]) throws -> String {
    let (subject, verb, rest) = (step[0], step.count > 1 ? step[1] : "", Array(step.dropFirst(2)))
    switch subject {
    case "told": return told(Array(step.dropFirst()))
    case "asked":
      defer { asked = [] }
      return words(asked)
    case "questions":
      defer { questions = [] }
      return questions.joined(separator: ", ")
    case "later":
      clock.advance(seconds: Int64(verb) ?? 0)
      return ""
    default: break
    }
    let place = place(subject.first ?? "1")
    if let result = try performOnFiles(verb, rest, place, subject.first ?? "1") { return result }
    let keychain = keychain(subject)
    if let result = try performOnItems(verb, rest, keychain, subject.first ?? "1") { return result }
    if let result = try performOnSlots(verb, rest, keychain, place) { return result }
    if let result = try performOnStates(verb, rest, keychain, place) { return result }
    throw Unmet(fact: "there is no such verb")
  }

  private func told(_ which: [String]) -> String {
    func word(_ notice: EncryptedFileKeychain.Notice) -> String {
      if case .created(let location) = notice {
        return places.contains { $0.value.location == location } ? "created" : "?"
      }
      return words(notice)
    }
    switch which.first {
    case "last": return notices.last.map(word) ?? "nothing"
    case "count": return "\(notices.count)"
    case "mark":
      heard = notices.count
      return ""
    case "new":
      return notices.count == heard ? "nothing" : notices[heard...].map(word).joined(separator: ", ")
    case "some":
      let wanted = which.dropFirst().joined(separator: " ")
      return "\(notices.count { word($0) == wanted })"
    default: return notices.map(word).joined(separator: ", ")
    }
  }

  private func performOnFiles(_ verb: String, _ rest: [String], _ place: Place, _ number: Character) throws
    -> String?
  {
    func file(_ index: Int = 0) throws -> String { try path(rest[index], place) }
    func replace(_ path: String, _ bytes: [UInt8]) throws {
      try put(bytes, into: path + ".incoming")
      rename(path + ".incoming", path)
    }
    switch verb {
    case "joins", "follows":
      // As another machine with the same vault.
      place.makeFolders()
      for name in ["identity", "vault"] where try exists(path("1/" + name, place)) {
        try put(bytes("1/" + name, place), into: path(name, place))
      }
      if verb == "joins" { _ = try place.keychain().servers() }
    case "to": try replace(self.place(Character(rest[0])).vault, bytes("vault", place))
    case "into": try put(bytes("vault", place), into: self.place(Character(rest[0])).vault)
    case "beside":
      try put(
        bytes("vault", place), into: path(rest.dropFirst().first ?? "copy", self.place(Character(rest[0]))))
    case "saves": saved[rest[1]] = try bytes(rest[0], place)
    case "writes": try put(bytes(rest[1], place), into: file())
    case "replaces": try replace(file(), bytes(rest[1], place))
    case "overwrites": try place.overwriteVault(bytes(rest[0], place))
    case "links":
      // As a generation, too.
      let generation = try place.keychain().newest()?.generation.fileName ?? "none"
      link(place.vault, place.location.vaultFolder + "/generations/" + generation)
    case "plants":
      for name in rest {
        let path = place.location.vaultFolder + "/generations/" + name
        try put([1], into: path)
        setAge(path, seconds: 31 * 86_400)
      }
    case "brings":
      let folder = self.place(Character(rest[0])).location.vaultFolder + "/generations/"
      let own = place.location.vaultFolder + "/generations/"
      mkdir(folder, 0o700)
      for name in names(in: own) { link(own + name, folder + name) }
    case "takesSeen":
      // As if that had been seen of the vault here.
      let seen = try path("1/seen", place)
      let name = seen.split(separator: "/").last.map { String($0) } ?? ""
      let text = try bytes("1/seen~", place) + Array("at \(place.vault)\n".utf8)
      try put(text, into: place.location.stateFolder + "/" + name)
    case "copies":
      if rest.isEmpty { return nil }
      try copyTree(path("1/" + rest[0], place), to: file())
    case "folders": place.makeFolders()
    case "loses": place.loseVault()
    case "suffers": try Loss.allCases.first { "\($0)" == rest[0] }?.befall(place)
    case "removes": for index in rest.indices { removeAll(try file(index)) }
    case "makes": mkdir(try file(), 0o700)
    case "moves": guard rename(try file(), try file(1)) == 0 else { throw Unmet(fact: "it can't be moved") }
    case "points": symlink(try file(1), try file())
    case "opens": for index in rest.indices { chmod(try file(index), 0o644) }
    case "pipes": mkfifo(try file(), 0o600)
    case "gives": chown(try file(), 65534, 65534)
    case "grown": truncate(try file(), Int(rest[1]) ?? 0)
    case "mode":
      if rest.count > 1 { chmod(try file(), UInt32(rest[1], radix: 8) ?? 0) }
      return String(try FileFacts(file()).mode & 0o7777, radix: 8)
    case "ages": setAge(try file(), seconds: Int(rest[1]) ?? 0)
    case "is": if try contents(of: file()) != bytes(rest[1], place) { throw Unmet(fact: "it is another") }
    case "isn't": if try contents(of: file()) == bytes(rest[1], place) { throw Unmet(fact: "it is the same") }
    case "uuid":
      let uuid = try place.keychain(passphrase: "right").summary()?.uuid
      defer { uuids[number] = uuid }
      return uuid == uuids[number] ? "same" : "another"
    case "begins":
      if try !contents(of: file()).starts(with: bytes(rest[1], place)) { throw Unmet(fact: "it doesn't") }
    case "noted":
      return words(text(try contents(of: path("seen", place)).drop { $0 != 0x0a }).replacing("\n", with: " "))
    case "lacks":
      for index in rest.indices where exists(try file(index)) { throw Unmet(fact: "\(rest[index]) is there") }
    case "lists":
      let folder = rest.isEmpty ? place.location.vaultFolder : try file()
      return names(in: folder).map { words($0) }.sorted().joined(separator: " ")
    case "marks": marks[number] = try place.everything()
    case "same": if try place.everything() != marks[number] { throw Unmet(fact: "something has changed") }
    case "locks": held = try Held(place.location.vaultFolder)
    case "unlocks": held = nil
    case "text":
      var text = text(try place.plaintext())
      for (name, id) in ids { text = text.replacing(id, with: name) }
      return rest.filter { text.contains($0.replacing("~", with: " ")) }.joined(separator: " ")
    default: return nil
    }
    return ""
  }

  private func host(_ name: String) -> String { name + ".example" }

  private func performOnItems(
    _ verb: String, _ rest: [String], _ keychain: EncryptedFileKeychain, _ subject: Character
  ) throws -> String? {
    switch verb {
    case "adds": try keychain.add(servers: rest.map(host))
    case "stores": for name in rest { try keychain.add(servers: [host(name)]) }
    case "fills": try keychain.add(servers: (0..<(Int(rest[0]) ?? 0)).map { host("h\($0)") })
    case "sets", "grows":
      for word in rest {
        let parts = word.split(separator: "*").map { String($0) }
        let named = parts[0].split(separator: "=", maxSplits: 1).map { String($0) }
        for _ in 0..<(parts.count > 1 ? Int(parts[1]) ?? 0 : 1) {
          count += 1
          clock.advance(seconds: 1)
          let password = verb == "grows" ? String(repeating: "\(count % 10)", count: 30_000) : "set \(count)"
          let server = host(verb == "grows" ? named[0] + "\(count)" : named[0])
          try keychain.save(
            item(server), Credential(password: named.count > 1 ? named[1] : password), at: clock.now)
        }
      }
    case "deletes":
      for name in rest {
        clock.advance(seconds: 1)
        try keychain.delete(try keychain.items(matching: query(host(name))))
      }
    case "dates":
      // As if a clock had been ahead by days.
      var item = item(host(rest[0]))
      let date = Timestamp(milliseconds: clock.now.milliseconds + (Int64(rest[1]) ?? 0) * 86_400_000)
      (item.creationDate, item.modificationDate) = (date, date)
      try keychain.add(keepingDatesOf: item, Credential(password: "first"))
    case "comments", "codes":
      let parts = rest[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0)
      }
      clock.advance(seconds: 1)
      var item = try keychain.items(matching: query(host(parts[0])))[0]
      if verb == "comments" {
        item.comment = ByteString(parts[1])
        try keychain.update(item)
      } else {
        var credential = try keychain.credential(of: item)
        credential.further.oneTimeCode = Secret(parts[1])
        try keychain.update(item, credential)
      }
    case "renames":
      clock.advance(seconds: 1)
      var item = try keychain.items(matching: query(host(rest[0])))[0]
      item.key = EncryptedFileTests.item(host(rest[1])).key
      try keychain.update(item)
    case "changed":
      let date = try keychain.items(matching: query(host(rest[0])))[0].modificationDate
      return date == clock.now ? "now" : "before"
    case "named":
      let item = try keychain.items(matching: query(host(rest[0])))[0]
      let name = "\(item.reference as Any) \(item.creationDate as Any)"
      defer { texts["name of " + rest[0]] = name }
      return texts["name of " + rest[0]] == name ? "same" : "new"
    case "comment":
      return try keychain.items(matching: query(host(rest[0])))[0].comment?.description ?? "none"
    case "code":
      let item = try keychain.items(matching: query(host(rest[0])))[0]
      switch try keychain.credential(of: item).further.oneTimeCode {
      case .none: return "none"
      case .some(let url): return url.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
    case "meets":
      // Each merges the other's vault, and both come to the same items.
      let place = place(subject)
      let other = self.place(Character(rest[0]))
      let copies = [(place, try contents(of: other.vault)), (other, try contents(of: place.vault))]
      let base = rest.count > 1 ? try path(rest[1], place) : nil
      let outcomes = try copies.map { place, bytes in
        try put(bytes, into: place.path + "/copy.age")
        let keychain = place.keychain(clock: clock.read)
        try keychain.merge(copyAt: place.path + "/copy.age", base: base)
        return try keychain.items(matching: .all).map { "\($0) \(try keychain.secret(of: $0))" }
      }
      if outcomes[0] != outcomes[1] { throw Unmet(fact: "they come to \(outcomes)") }
    case "undeletes":
      let retired = try keychain.retiredItems(matching: query(host(rest[0]))).first {
        $0.reason.rawValue == rest[1]
      }
      guard let retired else { throw Unmet(fact: "there is none") }
      try keychain.undelete(retired, replacing: retired.reason != .deleted && rest.last != "alone")
    case "has":
      let servers = try keychain.servers()
      if servers != rest.map(host) { throw Unmet(fact: "it has \(servers)") }
    case "count": return "\(try keychain.servers().count)"
    case "finds": return "\(try keychain.items(matching: query(host(rest[0]))).count)"
    case "holds":
      let items = try keychain.items(matching: rest.isEmpty ? .all : query(host(rest[0])))
      return try items.map { "\($0.key.place.dropFirst(8).dropLast(8))=\(try keychain.secret(of: $0))" }
        .sorted()
        .joined(separator: " ")
    case "retired":
      let all = try keychain.retiredItems(matching: rest.isEmpty ? .all : query(host(rest[0])))
      return all.map { "\($0.item.key.place.dropFirst(8).dropLast(8)) \($0.reason)" }.sorted().joined(
        separator: ", ")
    case "secrets":
      return try keychain.retiredSecrets(matching: query(host(rest[0]))).sorted().joined(separator: " ")
    case "refuses":
      if case .some = try keychain.answer(to: query(host(rest[0])), where: { _, _ in false }) {
        return "it answers"
      }
    case "lets":
      let wanted = try query(host(rest[0]))
      let canBeAdded = try keychain.exclusively { () throws(KeychainError) in
        try keychain.items(matching: wanted).isEmpty && keychain.passedOver == nil
      }
      return "\(canBeAdded)"
    case "touches": try keychain.exclusively { () throws(KeychainError) in }
    default: return nil
    }
    return ""
  }

  private func performOnStates(
    _ verb: String, _ rest: [String], _ keychain: EncryptedFileKeychain, _ place: Place
  ) throws -> String? {
    func state(_ which: String) throws -> Generation {
      let all = try keychain.generations()
      if which == "good" { return keychain.newestGoodGeneration() ?? all[0] }
      if which == "written" { return try keychain.lastWritesOfUnreadable()[0] }
      let found = all.first { "\($0.number)" == which }
      guard let found = which == "last" ? all.last : which == "first" ? all.first : found else {
        throw Unmet(fact: "there are \(all.map(\.number))")
      }
      return found
    }
    func confirm(_ ways: ReturningWays) -> Bool {
      let former = ways.mayBeFormerKey ? " former key" : ""
      questions.append(words("\(ways.doubt)" + former + " \(ways.ways.map(\.id))"))
      // Somebody may put another file there meanwhile.
      if let other = rest.last, other.hasPrefix("putting=") {
        return (try? put(saved[String(other.dropFirst(8))] ?? [], into: place.vault)) != nil
      }
      return rest.last == "surely"
    }
    switch verb {
    case "accepts": try keychain.acceptRollback()
    case "compacts":
      let gone = try keychain.compact()
      return "records: \(gone.records) generations: \(gone.generations)"
    case "merges":
      return words(
        try keychain.merge(copyAt: path(rest[0], place), base: rest.count > 1 ? path(rest[1], place) : nil))
    case "mergesFiles":
      let base = rest[0] == "-" ? nil : try path(rest[0], place)
      return words(
        try keychain.mergeFiles(base: base, ours: path(rest[1], place), theirs: path(rest[2], place)))
    case "salvages":
      let salvage = try keychain.salvage(confirm: confirm)
      return
        "count: \(salvage.count) recovered: \(salvage.recovered) base: \(words(salvage.base?.number as Any))"
    case "restores": return words(try keychain.restore(state(rest[0]), confirm: confirm))
    case "verifies":
      let verified = try rest[0] == "now" ? keychain.verify() : keychain.verify(state(rest[0]))
      return "count: \(words(verified?.count as Any)) generation: \(words(verified?.generation as Any))"
    case "number": return words(try keychain.newest()?.generation.number as Any)
    case "numbers": return words(try keychain.generations().map(\.number))
    case "states":
      let wanted = try bytes(rest[0], place)
      return "\(try keychain.generations().filter { try contents(of: $0.path) == wanted }.count)"
    case "good": return words(keychain.newestGoodGeneration()?.number as Any)
    case "written": return words(try keychain.lastWritesOfUnreadable().map { "\($0.number) \($0.path)" })
    case "formerKeys": return words(try keychain.generationsOfFormerKeys().map(\.number))
    case "unmerged": return words(try keychain.unmergedFiles())
    case "probe": return words(keychain.probe())
    case "summary":
      guard let summary = try keychain.summary() else { return "none" }
      return (summary.contents == nil ? "locked " : "") + (summary.hasPassphrase ? "passphrase" : "identity")
    case "counted": return words(try keychain.summary()?.contents?.count as Any)
    case "marked": return words(try keychain.verify()?.retiredCount as Any)
    case "leftOut": return words(try keychain.copyLeftOut() as Any)
    case "passedOver": return words(keychain.passedOver as Any)
    default: return nil
    }
    return ""
  }

  private func performOnSlots(
    _ verb: String, _ rest: [String], _ keychain: EncryptedFileKeychain, _ place: Place
  ) throws -> String? {
    switch verb {
    case "vault":
      // Made by hand, with three items, for these passphrases alone: `PASSPHRASE`, or `ID=PASSPHRASE/KIND`. Without any
      // it has an identity file. One of `#` is no age file.
      place.makeFolders()
      var vault = try HandMadeVault()
      if rest.isEmpty { try put(vault.identityText(), into: place.identityFile) }
      let slots = try rest.map { word in
        let parts = word.split(whereSeparator: { "=/".contains($0) }).map { String($0) }
        let (id, passphrase) = parts.count > 1 ? (parts[0], spoken(parts[1])) : ("0123456789abcdef", parts[0])
        let kind = parts.count > 2 ? parts[2] : "passphrase"
        if passphrase == "#" {
          return try Stanza(type: "llavero/slot", arguments: ["1", id, kind], body: [1, 2, 3])
        }
        return try vault.slot(passphrase, id: id, kind: kind)
      }
      vault.stanzas = [try vault.vaultStanza()] + slots
      try put(try vault.file(), into: place.vault)
    case "startsOver": return words(try keychain.create(.identityFile, startingOver: true))
    case "isThere": return try keychain.exists() ? "yes" : "no"
    case "refusesAll":
      let wanted = try query("a.example")
      var outcomes: Set<String> = []
      func note(_ body: () throws(KeychainError) -> Void) {
        do throws(KeychainError) {
          try body()
          outcomes.insert("done")
        } catch {
          outcomes.insert(words(error))
        }
      }
      note { () throws(KeychainError) in _ = try keychain.items(matching: wanted) }
      note { () throws(KeychainError) in _ = try keychain.items(matching: .all) }
      note { () throws(KeychainError) in _ = try keychain.reading { () throws(KeychainError) in } }
      note { () throws(KeychainError) in _ = try keychain.save(item("a.example"), Credential(password: "x")) }
      note { () throws(KeychainError) in _ = try keychain.add(item("a.example"), Credential(password: "x")) }
      note { () throws(KeychainError) in try keychain.exclusively { () throws(KeychainError) in } }
      note { () throws(KeychainError) in _ = try keychain.delete([item("a.example")]) }
      note { () throws(KeychainError) in try keychain.create(.identityFile) }
      note { () throws(KeychainError) in try keychain.create(.passphrase(Secret("new"))) }
      note { () throws(KeychainError) in _ = try keychain.isThere() }
      note { () throws(KeychainError) in _ = try keychain.summary() }
      note { () throws(KeychainError) in _ = try keychain.verify() }
      note { () throws(KeychainError) in _ = try keychain.slots() }
      note { () throws(KeychainError) in _ = try keychain.lock() }
      note { () throws(KeychainError) in _ = try keychain.compact() }
      note { () throws(KeychainError) in try keychain.acceptRollback() }
      note { () throws(KeychainError) in _ = try keychain.addPassphrase(Secret("new")) }
      let readiness = words(keychain.probe())
      guard outcomes.count == 1, try keychain.exists(), readiness == "unavailable \(outcomes.first ?? "")"
      else {
        throw Unmet(fact: "it ends with \(outcomes), and is \(readiness)")
      }
      // The error of all of them.
      _ = try keychain.items(matching: wanted)
    case "createsPlain": try keychain.create(.identityFile)
    case "creates": try keychain.create(.passphrase(Secret(spoken(rest[0]))))
    case "rotates", "rotatesUnshown":
      let passphrases = rest.map { $0.split(whereSeparator: { "=,".contains($0) }).map { String($0) } }
      var new: [String] = []
      try keychain.rotate(dropping: Set(rest.filter { $0.hasPrefix("-") }.map { id(String($0.dropFirst())) }))
      { id, attempt in
        passphrases.first { ids[$0[0]] ?? $0[0] == id && attempt < $0.count }.map {
          Secret(spoken($0[attempt]))
        }
      } announce: { (codes) throws(KeychainError) in
        if verb == "rotatesUnshown" { throw .promptDismissed }
        for code in codes {
          let name = ids.first { $0.value == code.id }?.key ?? code.id
          texts[name + ".old"] = texts[name]
          note(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, as: name)
          new.append(name)
        }
      }
      // The keychain that rotated knows what the vault contains.
      _ = try keychain.servers()
      return new.joined(separator: " ")
    case "addsCode":
      var shown = ""
      let new = try keychain.addRecoveryCode { code in
        shown = code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
      note(shown, as: rest[0])
      return note(id: new, as: rest[0])
    case "hidesCode": _ = try keychain.addRecoveryCode { _ throws(KeychainError) in throw .promptDismissed }
    case "addsPassphrase": return note(id: try keychain.addPassphrase(Secret(spoken(rest[0]))), as: rest[1])
    case "replacesPassphrase":
      return note(
        id: try keychain.replacePassphrase(of: id(rest[0]), with: Secret(spoken(rest[1]))), as: rest[2])
    case "replacesCheaply":
      // As the keychain's own function does, but with a passphrase that takes no work.
      let change = try keychain.beginSlotChange()
      guard let identity = change.key?.identity as? X25519Identity else { throw Unmet(fact: "it has no key") }
      let recipient = try Array(rest[1].utf8).withUnsafeBytes { try ScryptRecipient(passphrase: $0, logN: 4) }
      try change.removeSlot(id(rest[0]))
      let new = try change.addSlot(.passphrase, for: recipient, identity, at: clock.now)
      try keychain.commitSlots(change)
      return note(id: new, as: rest[2])
    case "addsRecipient":
      let file = rest.count > 2 ? try path(rest[2], place) : nil
      return note(id: try keychain.addRecipient(spoken(rest[0]), identity: file), as: rest[1])
    case "addsCommand": return note(id: try keychain.addCommand(rest.dropFirst().map(spoken)), as: rest[0])
    case "addsIdentity": try keychain.addIdentityFile()
    case "drops": try keychain.removeSlot(id(rest[0]))
    case "ways": return try keychain.slots().map { words($0.map(\.id)) } ?? "nil"
    case "kinds": return words(try keychain.slots()?.map(\.kind) as Any)
    case "way": return words(try keychain.slots()?.first { $0.id == id(rest[0]) } as Any)
    case "slots": return words(try slots(rest.isEmpty ? place.vault : path(rest[0], place)).map(\.id))
    case "copies":
      // With a mark where one isn't what the header has.
      let slots = try slots(place.vault)
      return try names(in: place.slots).map { name in
        let slot = slots.first { $0.id + ".age" == name }
        let isSame = try slot.map { try contents(of: place.slots + "/" + name) == $0.file } ?? true
        return words(name).replacing(".age", with: "") + (isSame ? "" : "?")
      }.sorted().joined(separator: " ")
    case "marksSlots": slotFiles = try slots(place.vault).map(\.file)
    case "renewed": return words(try slots(place.vault).filter { !slotFiles.contains($0.file) }.map(\.id))
    case "agrees":
      // The records in the first line are for the slots of the header, and none of those counts as removed.
      guard let snapshot = try keychain.newest() else { throw Unmet(fact: "there is no vault") }
      let notes = try SlotNotes(snapshot.first.head, path: place.vault)
      let ids = Set(snapshot.stanzas.slots.map(\.id))
      if Set(notes.notes.map(\.id)) != ids || !ids.isDisjoint(with: notes.removed) {
        throw Unmet(fact: "it doesn't")
      }
      return words(notes.removed.map { words($0) }.sorted())
    case "key":
      let identity = X25519Identity()
      texts[rest[0]] = identity.recipient.description
      try put(identity.withEncodedBytes { Array($0) + [0x0a] }, into: place.path + "/" + rest[0] + ".txt")
    case "ownKey": texts[rest[0]] = try keychain.newest()?.key.recipient.description
    case "hasKey": return try keychain.newest()?.key.recipient.description == texts[rest[0]] ? "yes" : "no"
    case "drawsCode":
      note(RecoveryCode().text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, as: rest[0])
    case "shows":
      let (file, text) = (try contents(of: place.vault), Array(spoken(rest[0]).utf8))
      return file.indices.contains { file[$0...].starts(with: text) } ? "yes" : "no"
    case "decrypts":
      // As age's own reader: the slot by its passphrase, and the vault by what is in the slot.
      let slot = try slots(place.vault).first { $0.id == id(rest[0]) }?.file ?? []
      let scrypt = try Array(spoken(rest[1]).utf8).withUnsafeBytes {
        try ScryptIdentity(passphrase: $0, maximumLogN: 15)
      }
      let identity = try AgeFile.decrypt(slot, with: [scrypt]).withUnsafeBytes { try IdentityFile.parse($0) }
      return try AgeFile.decrypt(try contents(of: place.vault), with: identity).isEmpty ? "no" : "yes"
    default: return nil
    }
    return ""
  }

  private func id(_ name: String) -> String { ids[name] ?? name }

  /// Gives a slot's identifier a name, unless it has one. Returns that.
  private func note(id: String, as name: String) -> String {
    if let known = ids.first(where: { $0.value == id })?.key { return known }
    ids[name] = id
    return name
  }

  /// Keeps a recovery code, also in other ways to type it.
  private func note(_ code: String, as name: String) {
    var wrong = Array(code)
    wrong[10] = wrong[10] == "7" ? "8" : "7"
    texts[name] = code
    texts[name + ".small"] = code.lowercased()
    texts[name + ".spaced"] = code.replacing("-", with: " ")
    texts[name + ".wrong"] = String(wrong)
    texts[name + ".wrongBare"] = String(wrong).replacing("-", with: "")
  }

  private func slots(_ path: String) throws -> [(id: String, file: [UInt8])] {
    try contents(of: path).withUnsafeBytes { try Header(parsing: $0) }.stanzas.filter {
      $0.type == "llavero/slot"
    }
    .map { ($0.arguments[1], $0.body) }
  }
}
