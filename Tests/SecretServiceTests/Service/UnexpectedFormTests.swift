import CSecret
import Expectations
import Keychain
import Synchronization
import TestSupport
import Testing

@testable import SecretService

@Suite("a service that answers in another form", .timeLimit(.minutes(60))) struct UnexpectedFormTests {
  /// Values of many types, by type.
  private static let values = [
    "s": "'text'", "u": "uint32 5", "t": "uint64 1700000000", "x": "int64 -1", "i": "5", "b": "true",
    "d": "1.5",
    "y": "byte 0x05", "o": "objectpath '/org/freedesktop/secrets/collection/login/1'", "v": "<'inside'>",
    "as": "['a', 'b']", "ao": FakeService.paths([FakeService.login + "/1"]), "aas": "[['a'], ['b']]",
    "ay": "@ay [1, 2]", "at": "[uint64 1]", "a{ss}": "{'protocol': 'https'}",
    "a{sv}": "{'Label': <'text'>}", "a(ss)": "[('protocol', 'https'), ('server', 'example.com')]",
    "a{us}": "{uint32 1: 'a'}", "(s)": "('inside',)", "(so)": "('inside', objectpath '/')",
    "g": "signature 'as'",
    "av": "[<1>, <'a'>]",
  ].filter { isLongForm || ["s", "o", "v", "a{ss}"].contains($0.key) }

  /// All properties that are read, with their types.
  private static let properties = [
    ("Service.Collections", "ao"), ("Collection.Items", "ao"), ("Collection.Label", "s"),
    ("Collection.Locked", "b"), ("Item.Attributes", "a{ss}"), ("Item.Label", "s"), ("Item.Locked", "b"),
    ("Item.Created", "t"), ("Item.Modified", "t"),
  ]

  /// All methods whose replies are read.
  private static let methods = [
    "ReadAlias", "OpenSession", "SearchItems", "Get", "GetAll", "GetSecret", "CreateItem", "Delete", "Unlock",
    "Lock",
    "CreateCollection",
  ]

  private struct Question: Sendable {
    let name: String
    let ask: @Sendable (SecretServiceKeychain) throws -> String
  }

  private static let item = Item.internet(account: "alice")

  private static let questions = [
    Question(name: "list") { "\(try $0.items(matching: .all))" },
    Question(name: "find") { "\(try $0.find(.internet()))" },
    Question(name: "find another") { "\(try $0.find(.internet("other.example")))" },
    Question(name: "answer") { "\(try $0.answeredSecret(.internet()) as Any)" },
    Question(name: "unlocked ones") { keychain in
      var criteria = ItemCriteria(item.key)
      criteria.omitsLocked = true
      return "\(try keychain.items(matching: .criteria(criteria)))"
    },
    Question(name: "revisions") { "\(try $0.revisions())" },
    Question(name: "facts") { keychain in
      let facts = try keychain.facts()
      return "\(facts.collections) \(facts.collection as Any)"
    },
    Question(name: "keeps") { "\(try $0.keepsNewItems())" },
    Question(name: "add") { "\(try $0.add(.internet("new.example"), "new"))" },
    Question(name: "update") { keychain in
      guard let found = try keychain.find(.internet()).first else { return "nothing" }
      var changed = found
      changed.comment = "new"
      return "\(try keychain.update(changed, .text("new")))"
    },
    Question(name: "delete") { keychain in "\(try keychain.delete(try keychain.find(.internet())))" },
    Question(name: "lock") { "\(try $0.lock())" },
    Question(name: "unlock") { keychain in
      try keychain.lock()
      return "\(try keychain.unlock(isKnown: false) { _ in nil })"
    },
    Question(name: "create") { "\(try $0.createCollection("made", isKnown: false) { nil })" },
  ]

  private static func isAboutForm(_ error: KeychainError?) -> Bool {
    switch error {
    case .unavailable(let reason)?: reason.hasPrefix("the Secret Service answered in an unexpected form: ")
    case .refused(_, error: "", let detail)?: detail.hasPrefix("the answer has an unexpected form: ")
    default: false
    }
  }

  /// Each question is answered as with an honest service, or fails with an error that names the form.
  ///
  /// - Returns: the number of errors.
  private static func ask(
    _ service: FakeService, _ what: String, _ distort: (inout FakeService.State) -> Void
  ) throws -> Int {
    var errors = 0
    let truths = try truths(service)
    for (question, truth) in zip(questions, truths) {
      service.reset()
      service.change { distort(&$0) }
      do {
        try expect(question.ask(try service.keychain()), is: truth, "\(question.name) with \(what)")
      } catch {
        expect(isAboutForm(error as? KeychainError), "\(question.name) with \(what): \(error)")
        errors += 1
      }
    }
    return errors
  }

  private static let knownTruths = Mutex<[String]>([])

  /// The answers of an honest service.
  private static func truths(_ service: FakeService) throws -> [String] {
    let known = knownTruths.withLock { $0 }
    if !known.isEmpty { return known }
    let truths = try questions.map { question in
      service.reset()
      return try question.ask(try service.keychain())
    }
    knownTruths.withLock { $0 = truths }
    return truths
  }

  @Test("a property of another type is an error, and never nothing", arguments: properties)
  func property(name: String, type: String) throws {
    let service = try FakeService()
    for (other, value) in Self.values.sorted(by: { $0.key < $1.key })
    where other != type && !(type == "t" && other == "u") {
      let errors = try Self.ask(service, "\(name) = \(value)") { $0.properties[name] = value }
      expect(errors > 0, "\(name) = \(value)")
    }
  }

  @Test(
    "an item without one of the properties that it must have is an error",
    arguments: ["Item.Attributes", "Item.Label", "Item.Locked"])
  func missing(name: String) throws {
    let service = try FakeService()
    try expect(Self.ask(service, "no \(name)") { $0.properties[name] = .some(nil) } > 0)
  }

  @Test("dates may be missing")
  func dates() throws {
    let service = try FakeService()
    service.change { state in
      for name in ["Item.Created", "Item.Modified"] { state.properties[name] = .some(nil) }
    }
    let found = try service.keychain().find(.internet())
    expect(found.count == 1 && found[0].creationDate == nil && found[0].modificationDate == nil)
    try expect(service.keychain().answeredSecret(.internet()), is: "s3cret")
  }

  @Test("a reply of another type is an error, and never nothing", arguments: methods)
  func reply(method: String) throws {
    let service = try FakeService()
    let replies =
      ["()", "(objectpath '/', objectpath '/', 5)"]
      + Self.values.sorted { $0.key < $1.key }.map { "(\($1),)" }
    for reply in replies {
      let isRight =
        switch method {
        case "ReadAlias", "Delete": reply == "(\(Self.values["o"] ?? ""),)"
        case "Get": reply == "(\(Self.values["v"] ?? ""),)"
        // A dictionary without a required entry, too.
        default: false
        }
      if isRight { continue }
      let errors = try Self.ask(service, "\(method) = \(reply)") { $0.replies[method] = reply }
      expect(errors > 0, "\(method) = \(reply)")
    }
  }

  @Test("an encrypted session whose opening is answered with anything is an error")
  func encryptedSession() throws {
    let service = try FakeService()
    let session = "objectpath '/org/freedesktop/secrets/session/s1'"
    let many = [String](repeating: "255", count: 4096).joined(separator: ",")
    for reply in Self.values.sorted(by: { $0.key < $1.key }).filter({ $0.key != "ay" }).map({
      "(<\($1)>, \(session))"
    }) + ["()", "(<@ay [2]>,)", "(@ay [2], \(session))", "(<@ay [2]>, 'text')", "(<@ay [\(many)]>, 5)"] {
      service.reset()
      service.change { $0.replies["OpenSession"] = reply }
      let keychain = try service.keychain { $0.isEncrypted = true }
      let error = failure { try keychain.answeredSecret(.internet()) }
      expect(Self.isAboutForm(error), "\(reply): \(String(describing: error))")
    }
    // Whatever the number is, text that is not encrypted with the resulting key is not a secret.
    for bytes in ["", "0", "1", many, "0,0,0"] {
      service.reset()
      service.change { $0.replies["OpenSession"] = "(<@ay [\(bytes)]>, \(session))" }
      let keychain = try service.keychain { $0.isEncrypted = true }
      #expect(throws: KeychainError.self, "\(bytes)") { try keychain.answeredSecret(.internet()) }
    }
  }

  @Test("a prompt that ends in another form is an error")
  func prompt() throws {
    let service = try FakeService()
    for parameters in Self.values.sorted(by: { $0.key < $1.key }).map({ "(\($1),)" }) + [
      "()", "(false, 'text')", "('text', <'text'>)", "(<false>, <'text'>)",
    ] {
      service.reset()
      service.change { state in
        state.collections[FakeService.login] = true
        state.prompting = ["Unlock"]
        state.ending = .strange(parameters)
      }
      let error = failure { try service.keychain().answeredSecret(.internet()) }
      expect(Self.isAboutForm(error), "\(parameters): \(String(describing: error))")
    }
  }

  // MARK: Any value

  /// A random type of D-Bus values, other than a file descriptor.
  private static func type(_ numbers: inout SeededGenerator, depth: Int = 0) -> String {
    let basic = ["b", "y", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g"]
    switch depth > 3 ? 0 : numbers.number(in: 0..<9) {
    case 0...3: return numbers.pick(basic)
    case 4: return "v"
    case 5: return "a" + type(&numbers, depth: depth + 1)
    case 6: return "a{\(numbers.pick(basic))\(type(&numbers, depth: depth + 1))}"
    case 7:
      return numbers.pick([
        "(aoao)", "(aoo)", "(oo)", "(o)", "(v)", "(vo)", "(bv)", "(a{sv})", "((oayays))", "a{ss}", "ao", "ay",
        "(sss)",
      ])
    default:
      return "(" + (0..<numbers.number(in: 1..<4)).map { _ in type(&numbers, depth: depth + 1) }.joined()
        + ")"
    }
  }

  /// A value of a random type, from random bytes.
  private static func value(_ numbers: inout SeededGenerator) -> Variant {
    let type = type(&numbers)
    let bytes = numbers.bytes(numbers.number(in: 0..<200))
    let kind = g_variant_type_new(type)
    defer { g_variant_type_free(kind) }
    let copy = g_bytes_new(bytes, gsize(bytes.count))
    defer { g_bytes_unref(copy) }
    // Not trusted: GLib replaces malformed parts with well-formed ones.
    return Variant(taking: g_variant_ref_sink(g_variant_new_from_bytes(kind, copy, 0)))
  }

  private static let readers: [(type: String, read: @Sendable (Variant) throws -> Void)] = [
    ("s", { _ = try $0.text(of: "it") }), ("o", { _ = try $0.checked(as: "o", of: "it").text }),
    ("ao", { _ = try $0.paths(of: "it") }),
    ("a{ss}", { _ = try $0.checked(as: "a{ss}", of: "it").texts }),
    ("v", { _ = try $0.checked(as: "v", of: "it").content }),
    ("b", { _ = try $0.bool(of: "it") }),
    ("ay", { _ = try $0.checked(as: "ay", of: "it").withBytes { $0.count } }),
    ("a{sv}", { _ = try $0.checked(as: "a{sv}", of: "it").optionalProperty("Label") }),
    ("(aoao)", { _ = try $0.checked(as: "(aoao)", of: "it").parts.map(\.paths) }),
    ("(bv)", { _ = try $0.checked(as: "(bv)", of: "it")[1].content }),
  ]

  @Test("each reader reads its type, and nothing else")
  func anything() throws {
    var numbers = SeededGenerator(seed: 15)
    var read = 0
    for _ in 0..<rounds(20_000) {
      let value = Self.value(&numbers)
      for reader in Self.readers {
        let isRight = value.isOf(reader.type)
        do {
          try reader.read(value)
          expect(isRight)
          read += 1
        } catch { expect(!isRight) }
      }
      // Whole answers are either read or an error.
      if let item = try? StoredItem(path: "/a", properties: value) { expect(item.path, is: "/a") }
      _ = try? ServiceSession(plain: value)
      let number = try? value.number(of: "it")
      expect(number != nil, is: value.isOf("t") || value.isOf("u"))
    }
    expect(read > rounds(500))
  }
}
