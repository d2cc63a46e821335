import CredentialProtocols
import Keychain
import TestSupport
import Testing

@Suite("References to secrets")
struct SecretReferenceTests {
  private func parse(_ text: String) throws(ProtocolError) -> ItemQuery { try parse(Array(text.utf8)) }

  private func parse(_ text: [UInt8]) throws(ProtocolError) -> ItemQuery {
    try Secret(copying: ByteString(text)).withUnsafeBytes { (text) throws(ProtocolError) in
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
    #expect(try parse("llavero://db/root") == password("db", "root"))
    #expect(try parse("llavero://db") == password("db"))
    #expect(try parse("llavero://db/") == password("db"))
    #expect(
      try parse("llavero://ssh-key:%2Fhome%2fa%2F.ssh%2Fid/a%3Fb")
        == password("ssh-key:/home/a/.ssh/id", "a?b"))
    #expect(try parse("llavero://backup:nas@x/a@b:c") == password("backup:nas@x", "a@b:c"))
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
    #expect(try parse("llavero+https://h.example") == password("https", "h.example"))
    #expect(
      try parse("llavero+https://a%40b@h.example:8443/x/y/")
        == password("https", "h.example", 8443, "a@b", "x/y"))
    #expect(try parse("llavero+ssh://[::1]:22/") == password("ssh", "::1", 22))
    #expect(try parse("llavero+sparse+https://h/i") == password("sparse+https", "h", nil, nil, "i"))
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
    #expect(throws: ProtocolError.unusableReference()) { try parse(text) }
  }

  @Test("what begins like one is meant as one")
  func meant() {
    for text in ["llavero:", "llavero://a", "llavero+x"] { #expect(isMeant(text)) }
    for text in ["", "llavero", "llavero-x", "'llavero://a'", "x llavero://a", "Llavero://a"] {
      #expect(!isMeant(text))
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
    for _ in 0..<3000 {
      let (service, account) = (word(), word())
      #expect(
        try parse("llavero://\(escaped(service))/\(escaped(account))")
          == .genericPassword(try GenericPasswordQuery(service: service, account: account)))
      let port = UInt16(random.number(in: 1..<65_536))
      #expect(
        try parse("llavero+x://\(escaped(account))@h:\(port)/p\(escaped(service))p")
          == .internetPassword(
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
    for _ in 0..<20_000 {
      let text = random.mutated(random.pick(seeds), dictionary: dictionary)
      guard let query = try? parse(text) else { continue }
      count += 1
      switch query {
      case .criteria, .all: Issue.record("\(ByteString(text))")
      case .genericPassword(let query):
        #expect(!query.service.isEmpty && text.starts(with: "llavero://".utf8))
      case .internetPassword(let query):
        #expect(
          query.server?.isEmpty == false && query.securityDomain == nil && text.starts(with: "llavero+".utf8))
      }
    }
    #expect(count > 1000)
  }
}

@Suite("Files of variables")
struct EnvironmentLinesTests {
  private struct Line: Equatable {
    var number: Int
    var name: String
    var value: String
  }

  private func parse(_ text: String) throws(ProtocolError) -> [Line] {
    var lines: [Line] = []
    try Secret(text).withUnsafeBytes { (text) throws(ProtocolError) in
      try EnvironmentLines.forEach(in: text) { (number, name, value) throws(ProtocolError) in
        lines.append(Line(number: number, name: "\(name)", value: String(decoding: value, as: UTF8.self)))
      }
    }
    return lines
  }

  @Test("a line is a name and a value, to its end")
  func lines() throws {
    let parsed = try parse(
      "A=1\n\n# B=2\n  \t\n  # C\nD=\"x\" $y  # z\nE=\nF==\nnpm_config_//r/:_authToken=t")
    #expect(
      parsed == [
        Line(number: 1, name: "A", value: "1"), Line(number: 6, name: "D", value: "\"x\" $y  # z"),
        Line(number: 7, name: "E", value: ""), Line(number: 8, name: "F", value: "="),
        Line(number: 9, name: "npm_config_//r/:_authToken", value: "t"),
      ])
    #expect(try parse("") == [])
  }

  @Test(
    "what is no such line is named by its number",
    arguments: ["A", "=1", "export A=1", " A=1", "A =1", "A=1\r", "A=\0", "\u{feff}A=1", "é=1", "A\t=1"])
  func malformed(line: String) {
    #expect(throws: ProtocolError.unusableVariable(line: 3)) { try parse("X=1\n\n\(line)\nY=2\n") }
  }

  @Test("a reference in quotes is refused, for the program would get it as it stands")
  func quoted() {
    for line in ["A=\"llavero://a\"", "A='llavero+https://h'"] {
      #expect(throws: ProtocolError.quotedReference(line: 2)) { try parse("#\n\(line)\n") }
    }
  }

  @Test("lines at random say what they say, or are refused")
  func random() {
    var random = SeededGenerator(seed: 9)
    let dictionary = ["\n", "=", "#", "\r\n", "A=", "llavero://", "\0", "\""].map { Array($0.utf8) }
    for _ in 0..<5000 {
      let text = random.mutated(Array("A=1\n#x\n\nB=llavero://a/b\n".utf8), dictionary: dictionary)
      var pairs: [[UInt8]] = []
      let isRead =
        (try? Secret(copying: ByteString(text)).withUnsafeBytes { (text) throws(ProtocolError) in
          try EnvironmentLines.forEach(in: text) { (_, name, value) throws(ProtocolError) in
            pairs.append(name.bytes + [0x3d] + Array(value))
          }
        }) != nil
      let plain = text.split(separator: 0x0a).filter { line in
        guard let first = line.first(where: { ![0x20, 0x09, 0x0d].contains($0) }) else { return false }
        return first != 0x23
      }.map { Array($0) }
      #expect(isRead ? pairs == plain : plain.starts(with: pairs))
    }
  }
}
