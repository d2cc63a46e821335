import Bytes
import Expectations
import Interchange
import Keychain
import Testing

@Suite("tables of which no program is known")
struct TableColumnsTests {
  @Test("what a person says is said back the same")
  func said() throws {
    for text in [
      "url=Website,account=Login,password=Pass", "password=p,field:PIN=Pin code,tags=a,tags=b",
      "password=p,\"name=a, \"\"b\"\"\"", "password=p=q,created=c,modified=m,notes=n,code=t",
    ] {
      try expect(TableColumns(text).text, is: text)
      try expect(TableColumns(TableColumns(text).text), is: TableColumns(text))
    }
  }

  @Test("what says nothing is refused")
  func refused() {
    for text in [
      "", "url=Website", "password", "password=", "pass=p", "password=p,password=q", "password=p,url=p",
      "password=p,field=x", "password=p,url:x=y", "password=p,\"url=x", "password=p,,",
    ] {
      #expect(throws: FormatFault.self, "\(text)") { try TableColumns(text) }
    }
  }

  @Test("names of columns suggest what they are")
  func guesses() {
    for (header, guess) in [
      (["Website", "Login", "Pass"], "password=Pass,account=Login,url=Website"),
      (
        ["Title", "Login", "Password", "URL", "Notes", "OTP"],
        "password=Password,account=Login,url=URL,name=Title,notes=Notes,code=OTP"
      ),
      (
        ["label", "username", "password", "email", "description", "tags", "url"],
        "password=password,account=username,url=url,name=label,notes=description,tags=tags"
      ),
      (
        ["Titel", "Benutzername", "Kennwort", "Webseite", "Notizen"],
        "password=Kennwort,account=Benutzername,url=Webseite,name=Titel,notes=Notizen"
      ),
      (["account", "password"], nil), (["a", "b"], nil), (["url", "user"], nil), ([], nil),
    ] {
      let names = header.map { ByteString($0) }
      expect(TableColumns(guessedFrom: names)?.text, is: guess, "\(header)")
    }
  }

  @Test("a table comes in by what its columns are, and the others stay")
  func table() throws {
    let format = try TableColumns("url=Site,account=Login,password=Pass,name=Title,created=Made").format
    let rows = "Title;Site;Login;Pass;Made;Colour\nt;https://h.example/x;a;\"p;q\";1700000000;\nu;;b;r;;red\n"
    for text in [rows, "sep=;\n" + rows] {
      let found = try Found(text, as: format)
      expect(found.logins, is: ["https://h.example (a) p;q at https://h.example/x", "u (b) r + Colour"])
      expect(found.labels, is: ["t", nil])
    }
    #expect(throws: FormatFault("it has no column \"Title\"", line: 1)) { try Found("a,b\n", as: format) }
    let tabs = "Title\tSite\tLogin\tPass\nt\thttps://h.example\ta\tp,q\n"
    try expect(Found(tabs, as: format).logins, is: ["https://h.example (a) p,q"])
  }

  @Test("dates are seconds, milliseconds or RFC 3339")
  func dates() throws {
    let format = try TableColumns("name=Login,password=Pass,modified=At").format
    for (date, seconds) in [
      ("1700000000", 1_700_000_000), ("1700000000000", 1_700_000_000),
      ("2023-11-14T22:13:20Z", 1_700_000_000),
      ("2023-11-14", 1_699_920_000),
    ] {
      let found = try FoundLogins(Array("Login,Pass,At\na,p,\(date)\n".utf8), as: format)
      expect(found.logins.map(\.item.modificationDate?.seconds), is: [Int64(seconds)], "\(date)")
    }
  }
}
