import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("References to secrets")
struct SecretReferenceTests {
  private func parse(_ text: String) throws(KeychainError) -> ItemQuery { try parse(Array(text.utf8)) }

  private func parse(_ text: [UInt8]) throws(KeychainError) -> ItemQuery {
    try Secret(copying: ByteString(text)).withUnsafeBytes { (text) throws(KeychainError) in
      try SecretReference(parsing: text).query
    }
  }

  private func isMeant(_ text: String) -> Bool {
    Secret(text).withUnsafeBytes { SecretReference.isMeant(by: $0) }
  }

  @Test("a service and perhaps an account name a generic password")
  func generic() throws {
    func password(_ service: ByteString, _ account: ByteString? = nil) throws -> ItemQuery {
      .genericPassword(try GenericPasswordQuery(service: service, account: account))
    }
    try expect(parse("llavero://db/root"), is: password("db", "root"))
    try expect(parse("llavero://db"), is: password("db"))
    try expect(parse("llavero://db/"), is: password("db"))
    try expect(
      parse("llavero://ssh-key:%2Fhome%2fa%2F.ssh%2Fid/a%3Fb"), is: password("ssh-key:/home/a/.ssh/id", "a?b")
    )
    try expect(parse("llavero://backup:nas@x/a@b:c"), is: password("backup:nas@x", "a@b:c"))
  }

  @Test("a URL after the plus names an internet password, as a person asks for it")
  func internet() throws {
    func password(
      _ scheme: ByteString, _ server: ByteString, _ port: UInt16? = nil, _ account: ByteString? = nil,
      _ path: ByteString? = nil
    ) throws -> ItemQuery {
      .internetPassword(
        try InternetPasswordQuery(protocol: scheme, server: server, port: port, account: account, path: path))
    }
    try expect(parse("llavero+https://h.example"), is: password("https", "h.example"))
    try expect(
      parse("llavero+https://a%40b@h.example:8443/x/y/"),
      is: password("https", "h.example", 8443, "a@b", "x/y"))
    try expect(parse("llavero+ssh://[::1]:22/"), is: password("ssh", "::1", 22))
    try expect(parse("llavero+sparse+https://h/i"), is: password("sparse+https", "h", nil, nil, "i"))
  }

  @Test(
    "what is none is refused",
    arguments: [
      "", "llavero", "llavero:", "llavero:/x", "llavero://", "llavero:///root", "llavero://a/b/c",
      "llavero://%",
      "llavero://%00", "llavero://a%0Ab", "llavero://a?x", "llavero://a#x", "llavero://a/b?",
      "llavero+", "llavero+https", "llavero+https:", "llavero+https://", "llavero+https:///p", "llavero+://h",
      "llavero+https://a:pw@h", "llavero+https://h:0", "llavero+https://h:x", "llavero+https://h?x",
      "llavero+https://h#x", "llavero+ht tps://h", "llavero+1://h", "https://h", "LLAVERO://a",
      " llavero://a",
      "op://vault/item",
    ])
  func refused(text: String) {
    #expect(throws: KeychainError.request(.unusableReference)) { try parse(text) }
  }

  @Test("a field names another part of the item")
  func fields() throws {
    func field(_ text: String) throws(KeychainError) -> ReferencedField {
      try Secret(text).withUnsafeBytes { (text) throws(KeychainError) in
        try SecretReference(parsing: text).field
      }
    }
    try expect(field("llavero://db/app"), is: .secret)
    try expect(field("llavero://db/app?field=account"), is: .account)
    try expect(field("llavero+https://a@h.example/p?field=url"), is: .url)
    try expect(field("llavero+https://h.example?field=code"), is: .code)
    try expect(field("llavero://db?field=expiry"), is: .expiry)
    try expect(field("llavero://db?field=label"), is: .attribute("label"))
    try expect(field("llavero://db?field=PIN%20code"), is: .attribute("PIN code"))
    try expect(parse("llavero://db/app?field=account"), is: parse("llavero://db/app"))
    for text in [
      "?", "?field", "?field=", "?x=y", "?field=a&field=b", "?field=a?b", "?field=a b", "?field=a#b",
    ] {
      #expect(throws: KeychainError.request(.unusableReference)) { try field("llavero://db/app" + text) }
    }
  }

  @Test("what a field says of an item")
  func values() throws {
    func value(_ field: ReferencedField, _ item: Item, _ credential: consuming Credential) -> String? {
      let answer = Answer(item: item, credential: credential)
      let value = field.value(of: answer, code: { $0.secret.isEmpty ? nil : Secret("123456") })
      switch value {
      case .none: return nil
      case .some(let value): return value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
    }
    let key = InternetPassword(protocol: "https", server: "h.example", port: 8443, account: "al", path: "p")
    let login = Item(.internetPassword(key), label: "mine", comment: "a remark")
    for (field, text) in [
      (.secret, "pw"), (.account, "al"), (.url, "https://h.example:8443/p"),
      (.attribute("server"), "h.example"),
      (.attribute("port"), "8443"), (.attribute("path"), "p"), (.attribute("label"), "mine"),
      (.attribute("comment"), "a remark"), (.attribute("creator"), nil), (.attribute("service"), nil),
      (.attribute("secret"), nil), (.expiry, "1970-01-01T00:01:40Z"),
    ] as [(ReferencedField, String?)] {
      expect(value(field, login, Credential(Secret("pw"), expiry: 100)), is: text, "\(field)")
    }
    let plain = Item(GenericPassword(service: "db"))
    expect(value(.account, plain, Credential(password: "x")), is: nil)
    expect(value(.url, plain, Credential(password: "x")), is: nil)
    expect(value(.attribute("service"), plain, Credential(password: "x")), is: "db")
    expect(value(.code, plain, Credential(password: "x")), is: "123456")
    var named = plain
    named.addField("Door", "open")
    var credential = Credential(password: "x")
    credential.further.addField("PIN code", Secret("1234"))
    expect(value(.attribute("Door"), named, credential.copy()), is: "open")
    expect(value(.attribute("PIN code"), named, credential.copy()), is: "1234")
    expect(ReferencedField.attribute("PIN code").isSecret && !ReferencedField.attribute("label").isSecret)
  }

  @Test("what begins like one is meant as one")
  func meant() {
    for text in ["llavero:", "llavero://a", "llavero+x"] { expect(isMeant(text)) }
    for text in ["", "llavero", "llavero-x", "'llavero://a'", "x llavero://a", "Llavero://a"] {
      expect(!isMeant(text))
    }
  }

  @Test("any service, account and URL can be written as a reference, and is read as it was meant")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 7)
    /// Any bytes that an item may contain.
    func word(_ least: Int = 1) -> ByteString {
      ByteString(random.bytes(random.number(in: least..<9)).map { [0, 0x0a, 0x0d].contains($0) ? 0x2f : $0 })
    }
    func escaped(_ word: ByteString) -> String {
      word.bytes.map { byte in
        let plain = 0x30...0x39 ~= byte || 0x61...0x7a ~= byte
        let digits = String(byte, radix: 16)
        return plain ? "\(Character(Unicode.Scalar(byte)))" : "%" + (digits.count < 2 ? "0" : "") + digits
      }.joined()
    }
    for _ in 0..<rounds(3000) {
      let (service, account) = (word(), word())
      try expect(
        parse("llavero://\(escaped(service))/\(escaped(account))"),
        is: .genericPassword(try GenericPasswordQuery(service: service, account: account)))
      let port = UInt16(random.number(in: 1..<65_536))
      try expect(
        parse("llavero+x://\(escaped(account))@h:\(port)/p\(escaped(service))p"),
        is: .internetPassword(
          try InternetPasswordQuery(
            protocol: "x", server: "h", port: port, account: account,
            path: ByteString([0x70] + service.bytes + [0x70]))))
    }
  }

  @Test("no text whatever is read as a query for everything, or crashes")
  func anyText() {
    var random = SeededGenerator(seed: 8)
    let seeds = ["llavero://db/root", "llavero+https://a@h.example:8443/p", "llavero+x://[::1]"].map {
      Array($0.utf8)
    }
    let dictionary = ["%", "%0a", "%2f", "/", "//", "@", ":", "[", "]", "?", "#", "+"].map { Array($0.utf8) }
    var count = 0
    for _ in 0..<rounds(20_000) {
      let text = random.mutated(random.pick(seeds), dictionary: dictionary)
      guard let query = try? parse(text) else { continue }
      count += 1
      switch query {
      case .criteria, .all: Issue.record("\(ByteString(text))")
      case .genericPassword(let query):
        expect(!query.service.isEmpty && text.starts(with: "llavero://".utf8))
      case .internetPassword(let query):
        expect(
          query.server?.isEmpty == false && query.securityDomain == nil && text.starts(with: "llavero+".utf8))
      }
    }
    expect(count > rounds(1000))
  }
}
