import Expectations
import Interchange
import Keychain
import Testing

/// Fields that name another entry's field: they become what KeePass makes of them, or the entry is said to have stayed.
@Suite("references between entries of KeePass")
struct KeePassReferencesTests {
  /// A database with an entry that another one names, and the one that does.
  private func found(
    _ user: String, _ password: String, _ url: String, more: String = "", title: String = "Pointer"
  ) throws -> Found {
    func entry(_ identifier: String, _ fields: [(String, String)]) -> String {
      "<Entry><UUID>\(identifier)</UUID>"
        + fields.map { "<String><Key>\($0)</Key><Value>\($1)</Value></String>" }.joined()
        + "<History><Entry><UUID>\(identifier)</UUID><String><Key>Title</Key><Value>Safe</Value></String></Entry></History></Entry>"
    }
    let pointer = entry(
      "AAAAAAAAAAAAAAAAAAAAAQ==",
      [("Title", title), ("UserName", user), ("Password", password), ("URL", url)])
    let safe = entry(
      "RsmxC71KvEu7JgxhkLrSDA==",
      [("Title", "Safe"), ("UserName", "ana"), ("Password", "pw-1"), ("URL", "https://safe.example")])
    return try Found(
      "<KeePassFile><Root><Group>\(pointer)<Group><Name>G</Name>\(safe)</Group>\(more)</Group></Root></KeePassFile>",
      as: .keePass)
  }

  @Test(
    "a user name, a password and an address of another entry are taken, by its identifier, title, user name or address",
    arguments: [
      ("{REF:U@I:46C9B10BBD4ABC4BBB260C6190BAD20C}", "{REF:P@I:46C9B10BBD4ABC4BBB260C6190BAD20C}"),
      ("{ref:u@i:46c9b10bbd4abc4bbb260c6190bad20c}", "{REF:P@T:Safe}"),
      ("{REF:U@T:Safe}", "{REF:P@U:ana}"), ("{REF:U@T:\"Safe\"}", "{REF:P@T:\"Safe\"}"),
      ("{REF:U@A:https://safe.example}", "{REF:P@A:https://safe.example}"),
    ])
  func taken(user: String, password: String) throws {
    let logins = try found(user, password, "https://p.example").logins
    expect(logins.first?.hasPrefix("https://p.example (ana) pw-1"), is: true, "\(logins)")
    expect(logins.count, is: 2)
  }

  @Test("a word of the entry itself, and text around it")
  func own() throws {
    try expect(
      found("ana", "x{REF:P@T:Safe}y", "https://{USERNAME}.example/{title}", title: "door").logins.first?
        .hasPrefix("https://ana.example (ana) xpw-1y at https://ana.example/door"), is: true)
    let logins = try found("{REF:U@T:Safe}", "p", "{REF:A@T:Safe}/x").logins
    expect(logins.first?.hasPrefix("https://safe.example/x (ana) p "), is: true)
  }

  @Test("a reference to a field that has one leads on, and one that leads to itself to nothing")
  func chain() throws {
    let more =
      "<Entry><UUID>AAAAAAAAAAAAAAAAAAAAAg==</UUID><String><Key>Title</Key><Value>Middle</Value></String>"
      + "<String><Key>Password</Key><Value>{REF:P@T:Safe}</Value></String></Entry>"
    let logins = try found("u", "{REF:P@T:Middle}", "https://p.example", more: more).logins
    expect(logins.contains { $0.hasPrefix("https://p.example (u) pw-1") } && logins.contains("Middle pw-1"))
    try expect(found("u", "{REF:P@T:Pointer}", "https://p.example").reasons, is: ["Pointer reference"])
  }

  @Test(
    "what is not certain, or would show a password, stays",
    arguments: [
      // No such entry; two that KeePass could take; another field; a word of another kind.
      ("u", "{REF:P@I:00000000000000000000000000000000}", "https://p.example"),
      ("u", "{REF:P@T:safe}", "https://p.example"), ("u", "{REF:P@T:Saf}", "https://p.example"),
      ("u", "{REF:P@N:x}", "https://p.example"), ("u", "{REF:P@I}", "https://p.example"),
      ("u", "{TOTP}", "https://p.example"), ("u", "{REF:N@T:Safe}", "https://p.example"),
      ("{REF:P@T:Safe}", "p", "https://p.example"), ("u", "p", "https://p.example/?p={REF:P@T:Safe}"),
      ("u", "p", "https://p.example/{PASSWORD}"),
    ])
  func stays(user: String, password: String, url: String) throws {
    let found = try found(user, password, url)
    expect(found.reasons, is: ["Pointer reference"])
    expect(found.logins.count, is: 1)
  }

  @Test("two entries that the text may mean are not decided between")
  func ambiguous() throws {
    let more = "<Entry><String><Key>Title</Key><Value>My safe</Value></String></Entry>"
    try expect(
      found("u", "{REF:P@T:Safe}", "https://p.example", more: more).reasons.contains("Pointer reference"))
  }

  @Test("in notes and fields of one's own a reference becomes what it stands for, or the field stays")
  func fields() throws {
    func field(_ name: String, _ value: String, _ attributes: String = "") -> String {
      "<String><Key>\(name)</Key><Value\(attributes)>\(value)</Value></String>"
    }
    let hidden = " ProtectInMemory=\"True\""
    let safe =
      "<Entry>" + field("Title", "Safe") + field("UserName", "ana") + field("Password", "pw-1") + "</Entry>"
    for (fields, expected) in [
      (field("Notes", "ask {REF:U@T:Safe}, not {USERNAME}"), "comment ask ana, not u"),
      (field("Notes", "type {USERNAME} {REF"), "comment type {USERNAME} {REF"),
      (field("Notes", "{REF:P@T:Safe}"), "left notes"), (field("Notes", "{ref:U@T:None}"), "left notes"),
      (field("PIN", "{REF:P@T:Safe}", hidden), "hidden PIN=pw-1"),
      (field("Owner", "{REF:U@T:Safe}"), "fields Owner=ana"),
      (field("Owner", "{REF:P@T:Safe}"), "left Owner"),
      (field("KP2A_URL_1", "{REF:A@T:None}"), "left KP2A_URL_1"),
    ] {
      let pointer =
        "<Entry>" + field("Title", "N") + field("UserName", "u") + field("Password", "p") + fields
        + "</Entry>"
      let file = "<KeePassFile><Root><Group>\(pointer)\(safe)</Group></Root></KeePassFile>"
      let lines = WholeLogins(try FoundLogins(Array(file.utf8), as: .keePass)).lines
      expect(lines, is: ["N (u) p; \(expected)", "Safe (ana) pw-1"], "\(fields)")
    }
  }
}
