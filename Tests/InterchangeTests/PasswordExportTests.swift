import Expectations
import Interchange
import Keychain
import Testing

@Suite("password managers' exports")
struct PasswordExportTests {
  @Test("Bitwarden's CSV: a comma parts addresses only before a scheme, else nobody knows which there are")
  func bitwardenCommas() throws {
    func found(_ addresses: String) throws -> Found {
      try Found(
        "type,name,login_uri,login_username,login_password\nlogin,n,\"\(addresses)\",a,p\n", as: .bitwarden)
    }
    try expect(
      found("https://a.example/x,HTTPS://b.example,androidapp://c.example").logins,
      is: [
        "https://a.example (a) p at androidapp://c.example\nhttps://a.example/x",
        "https://b.example (a) p at androidapp://c.example",
      ])
    for addresses in [
      "https://maps.example/@48.1,11.5,13.4z", "https://a.example,b.example", "https://a.example,",
      "https://a.example/?x=1,2", "a.example,b.example", "https://a.example, https://b.example",
      "https://a.example,://b.example", "https://a.example,1x://b.example", "https://a.example,https://",
    ] {
      try expect(found(addresses).logins.isEmpty, "\(addresses)")
      try expect(found(addresses).reasons, is: ["2 addresses"], "\(addresses)")
    }
  }

  @Test("KeePassXC's: what stands for something else is no password, account or address")
  func placeholders() throws {
    for (account, password, url) in [
      ("a", "x{REF:P@I:1}", "https://h"), ("a", "{username}", "https://h"), ("{REF:U@I:1}", "p", "https://h"),
      ("a", "p", "https://{S:host}"), ("a", "{T-CONV:/x/Upper/}", "https://h"),
      ("a", "{DT_YEAR}", "https://h"),
    ] {
      let found = try Found(
        "Group,Title,Username,Password,URL,Notes\nRoot,t,\(account),\(password),\(url),\n", as: .keepassxc)
      expect(found.reasons, is: ["2 reference"], "\(account) \(password) \(url)")
    }
    try expect(
      Found(
        "Group,Title,Username,Password,URL,Notes\nRoot,t,a,{x}{USERNAMES}{,https://h,\n", as: .keepassxc
      ).logins, is: ["https://h (a) {x}{USERNAMES}{"])
    try expect(
      Found(
        "Group,Title,Username,Password,URL,Notes\nRoot,t,a,p,https://h,as {REF:P@I:1}\n", as: .keepassxc
      ).logins, is: ["https://h (a) p + notes"])
  }

  @Test("what nobody here knows stays there")
  func unknown() throws {
    try expect(
      Found("name,url,username,password,extra\nn,,a,p,x\nm,,a,p,\n", as: .chrome).logins,
      is: [
        "n (a) p + extra", "m (a) p",
      ])
    try expect(
      Found("name,url,username,password,\nn,,a,p,x\n", as: .chrome).logins,
      is: [
        "n (a) p + nameless column"
      ])
    try expect(
      Found(
        #"{"items":[{"type":1,"name":"n","new":1,"card":null,"login":{"password":"p"}}]}"#, as: .bitwarden
      ).logins, is: ["n p + new"])
  }

  @Test("what somebody has sorted or marked an entry by is a tag, and what nobody has chosen says nothing")
  func choices() throws {
    func tags(_ header: String, _ row: String, _ format: FileFormat) throws -> [String] {
      let item = try #require(try FoundLogins(Array("\(header)\n\(row)\n".utf8), as: format).logins.first)
        .item
      return item.tags.map(\.description) + item.fields.map { "\($0.name)=\($0.value)" }
    }
    for (row, expected) in [
      ("Work,,login,n,,0,,", ["Work"]), (",1,login,n,,0,,", ["favorite"]), (",,login,n,,1,,", ["reprompt"]),
      (",,login,n,,0,Team,", ["Team"]),
      (",,login,n,,0,,2026-01-01T00:00:00Z", ["archived", "archivedDate=2026-01-01T00:00:00Z"]),
      (",0,login,n,,0,,", []), (",,login,n,,,,", []),
    ] {
      let header =
        "folder,favorite,type,name,login_uri,reprompt,collections,archivedDate,login_username,login_password"
      try expect(tags(header, row + ",,p", .bitwarden), is: expected, "\(row)")
    }
    for (row, expected) in [
      ("true,false,,Private", ["Private", "favorite"]), ("false,true,,", ["archived"]),
      ("false,FALSE,work;home,", ["work", "home"]), ("false,false,,", []),
    ] {
      let header = "Title,Url,Username,Password,Type,Favorite,Archived,Tags,Vault"
      try expect(tags(header, "n,,,p,Login,\(row)", .onePassword), is: expected, "\(row)")
    }
    for (group, expected) in [
      ("Root", []), ("", []), ("Root/Work", ["Work"]), ("Root/Work/Prod", ["Work/Prod"]),
    ] {
      let row = "\(group),n,,p,,,7"
      try expect(
        tags("Group,Title,Username,Password,URL,Notes,Icon", row, .keepassxc), is: expected, "\(group)")
    }
    for (member, leftBehind) in [
      (#""folderId":"1""#, " + folderId"), (#""collectionIds":["1"]"#, " + collectionIds"),
      (#""favorite":true,"reprompt":1"#, ""), (#""id":"1","organizationId":"2""#, ""),
      (#""folderId":null,"collectionIds":[],"favorite":false,"reprompt":0"#, ""),
    ] {
      let text = #"{"items":[{"type":1,"name":"n",\#(member),"login":{"password":"p"}}]}"#
      try expect(Found(text, as: .bitwarden).logins, is: ["n p\(leftBehind)"], "\(member)")
    }
  }

  @Test("a date beyond any keychain's is none")
  func dates() throws {
    let found = try FoundLogins(
      Array("url,username,password,httpRealm,timeCreated\nhttps://h,,p,,99999999999999999999\n".utf8),
      as: .firefox)
    expect(found.logins.map(\.item.creationDate), is: [nil])
  }

  @Test("columns are known by their names, in any order, after a byte order mark")
  func columns() throws {
    let found = try Found(
      "\u{FEFF}PASSWORD, Username ,url,extra,name\r\nx,a,https://h.example,,n\r\n\r\ny,b,,,m\r\n", as: .chrome
    )
    expect(found.logins, is: ["https://h.example (a) x", "m (b) y"])
    expect(found.origins, is: [.line(2), .line(4)])
  }

  @Test("a file without these columns is another program's")
  func otherColumns() {
    for (text, format, reason) in [
      ("url,username,password\nx,y,z\n", FileFormat.chrome, "it has no column \"name\""),
      ("name,url,username,password\nx,y,z,w\n", .firefox, "it has no column \"httpRealm\""),
      ("name,url,username,password\nx,y,z,w\n", .bitwarden, "it has no column \"login_uri\""),
      ("", .keepassxc, "it does not begin with the names of columns"),
      ("\"a", .keepassxc, "it does not begin with the names of columns"),
    ] {
      #expect(throws: FormatFault(reason, line: 1)) { try Found(text, as: format) }
    }
    #expect(throws: FormatFault("it is encrypted; export it as '.json' or '.csv' instead")) {
      try Found(#"{"encrypted":true,"passwordProtected":true,"data":"x"}"#, as: .bitwarden)
    }
    #expect(throws: FormatFault("it is not JSON that Bitwarden exports")) {
      try Found(#"{"items":[{]}"#, as: .bitwarden)
    }
  }

  @Test("a row whose quotes or fields are in disorder is passed over, and the next is read")
  func malformedRows() throws {
    let found = try Found(
      "name,url,username,password\na,,u,\"x\"y\nb,,u,x\"y\nc,,u\nd,,u,p,q\ne,,u,p\nf,,u,\"p\ng,,u,p\n",
      as: .chrome)
    expect(found.logins, is: ["e (u) p"])
    expect(
      found.reasons, is: ["2 malformed", "3 malformed", "4 malformed", "5 malformed", "7-8 cutOff"])
  }

  @Test("addresses: which are a server's")
  func addresses() throws {
    for (address, place) in [
      ("HTTPS://H.example", "https://h.example"), ("ssh://git@h.example:2222", "ssh://h.example:2222 (git)"),
      ("h.example", "https://h.example"), ("[::1]", "https://[::1]"),
      ("https://[::1]:8443/", "https://[::1]:8443"),
      ("localhost", "https://localhost"), ("bücher.example", "https://bücher.example"),
    ] {
      try expect(
        Found("name,url,username,password\nn,\(address),,p\n", as: .chrome).logins, is: ["\(place) p"],
        "\(address)")
    }
    // What is no place, or more than one, is kept with the item.
    for (address, place) in [
      ("https://h.example:443/x?y#z", "https://h.example"), ("smb://nas/share", "smb://nas"),
      ("h.example:8443/x", "https://h.example:8443"), ("https://h.example?y", "https://h.example"),
      (#"https://h.example\@evil.example/"#, "https://h.example"),
      (#"https://h.example\x"#, "https://h.example"),
      ("https://h.example:99999", "n"), ("nas", "n"), ("a@b.example", "n"), ("about:logins", "n"),
      ("file:///etc", "n"), ("https://", "n"), ("https://two words", "n"), ("https://a%2fb", "n"),
      ("otpauth://totp/x", "n"), ("v1.2 of it", "n"), (".", "n"), ("https:/h.example", "n"),
      ("https://h.example;id=1/x", "n"), ("jdbc:postgresql://db.example/app", "n"),
      ("htps://h.example/x", "n"),
      ("svn+ssh://h.example/r", "n"), ("cmd://ssh root@h", "n"), ("https://h\u{feff}.example", "n"),
      ("https://\u{200b}h.example/", "n"), ("h.example\u{2060}", "n"),
    ] {
      try expect(
        Found("name,url,username,password\nn,\(address),,p\n", as: .chrome).logins,
        is: [
          "\(place) p at \(address)"
        ],
        "\(address)")
    }
    try expect(
      Found("name,url,username,password\nn,https://u@h.example/x,,p\n", as: .chrome).logins,
      is: [
        "https://h.example (u) p at https://h.example/x"
      ])
  }

  @Test("a login holds where its source says, and where it is told")
  func paths() throws {
    let rows = "name,url,username,password\nn,https://h/a/?q,u,p\nm,https://h/b,u,p\n"
    try expect(
      Found(rows, as: .chrome).logins,
      is: [
        "https://h (u) p at https://h/a/?q\nhttps://h/b", "https://h (u) p at https://h/b",
      ])
    try expect(
      Found(rows, as: .chrome, paths: .keep).logins,
      is: [
        "https://h/a (u) p at https://h/a/?q", "https://h/b (u) p",
      ])
    // Two of one user, with different secrets, at two paths.
    let two = "name,url,username,password\nn,https://h/nextcloud,u,p\nm,https://h/sonarr,u,q\n"
    for paths in [nil, PathChoice.keep, .drop] {
      try expect(
        Found(two, as: .chrome, paths: paths).logins,
        is: [
          "https://h/nextcloud (u) p", "https://h/sonarr (u) q",
        ])
    }
    func json(_ match: String) throws -> [String] {
      try Found(
        #"{"items":[{"type":1,"name":"n","login":{"password":"p","uris":[{"uri":"https://h/a","match":\#(match)}]}}]}"#,
        as: .bitwarden
      ).logins
    }
    for match in ["null", "0", "1"] {
      try expect(json(match), is: ["https://h p at https://h/a"], "\(match)")
    }
    for match in ["2", "3"] { try expect(json(match), is: ["https://h/a p"], "\(match)") }
    for match in ["4", "5"] { try expect(json(match), is: ["n p at https://h/a"], "\(match)") }
    try expect(Found("https://u:p@h/a\n", as: .gitCredentials).logins, is: ["https://h/a (u) p"])
    try expect(
      Found("https://u:p@h/a\n", as: .gitCredentials, paths: .drop).logins,
      is: [
        "https://h (u) p at https://h/a"
      ])
  }

  @Test("which of two passwords for the same is in use, only dates say, and else neither is")
  func undecided() throws {
    func rows(_ first: String, _ second: String) -> String {
      "Group,Title,Username,Password,URL,Notes,Last Modified\nRoot,A,u,p,https://h,,\(first)\n"
        + "Root/Müll,B,u,q,https://h,,\(second)\n"
    }
    for dates in [("", ""), ("2024-01-01T00:00:00Z", ""), ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z")] {
      expect(
        Set(try Found(rows(dates.0, dates.1), as: .keepassxc).logins),
        is: [
          "https://h: A (u) p", "https://h: B (u) q",
        ])
    }
    let newer = rows("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z")
    try expect(Found(newer, as: .keepassxc).logins, is: ["https://h (u) q", "https://h (u) p"])
    var found = try FoundLogins(Array(rows("", "").utf8), as: .keepassxc)
    found.choose(found.keptApart[0].logins[1], of: found.keptApart[0])
    expect(Found(found).logins, is: ["https://h (u) q"])
    expect(Found(found).reasons, is: ["2 notChosen"])
  }

  @Test("the bin has a name in each language")
  func bins() throws {
    for bin in ["Recycle Bin", "Papierkorb", "Corbeille", "Корзина", "ゴミ箱", "回收站", "Koš"] {
      let text = "Group,Title,Username,Password,URL,Notes\nWurzel/\(bin)/Alt,t,u,p,https://h,\n"
      try expect(Found(text, as: .keepassxc).reasons, is: ["2 discarded"], "\(bin)")
    }
  }

  @Test("a group of the bin's name that needn't be the bin is never chosen by its date")
  func perhapsBin() throws {
    func rows(_ first: String, _ second: String) -> String {
      "Group,Title,Username,Password,URL,Notes,Last Modified\n"
        + "\(first),A,u,p,https://h,,2024-01-01T00:00:00Z\n\(second),B,u,q,https://h,,2025-01-01T00:00:00Z\n"
    }
    // The name of the database may have a slash in it, and the bin may be in another group.
    for (live, bin) in [("Ann/Work/Web", "Ann/Work/Recycle Bin"), ("Root/Web", "Root/Old/Papierkorb/Web")] {
      expect(
        Set(try Found(rows(live, bin), as: .keepassxc).logins),
        is: [
          "https://h: A (u) p", "https://h: B (u) q + place in what may be the bin",
        ],
        "\(bin)")
    }
    let certain = try Found(rows("Root/Web", "Root/Recycle Bin/Old/Kosz"), as: .keepassxc)
    expect(certain.logins == ["https://h (u) p"] && certain.reasons == ["3 discarded"])
    // Nothing contradicts it, and it is no login that somebody has deleted for certain.
    let alone = "Group,Title,Username,Password,URL,Notes\nA/B/Kosz,t,u,p,https://h,\n"
    try expect(
      Found(alone, as: .keepassxc).logins, is: ["https://h (u) p + place in what may be the bin"])
  }

  @Test("a password or another's name in an address has no room beside the entry's own")
  func userInformation() throws {
    for (address, account, login) in [
      ("https://b:Pw-2@h.example", "a", "https://h.example (a) p + password in the URL"),
      (
        "https://a:Pw-2@h.example/x@y", "",
        "https://h.example (a) p at https://h.example/x@y + password in the URL"
      ),
      ("https://:Pw-2@h.example", "a", "https://h.example (a) p + password in the URL"),
      ("https://a:Pw%2@h.example", "a", "n (a) p + password in the URL"),
      ("https://a:Pw/2@h.example", "a", "n (a) p + password in the URL"),
      ("a:Pw-2@h.example", "a", "n (a) p + password in the URL"),
      ("app://a:Pw-2@x", "a", "n (a) p + password in the URL"),
      ("mailto:x@y.example", "a", "n (a) p at mailto:x@y.example"),
      ("sip:x@y.example:5060", "a", "n (a) p at sip:x@y.example:5060"),
      ("mailto:x:Pw-2@h.example", "a", "n (a) p + password in the URL"),
      ("https://b@h.example", "a", "https://h.example (a) p + user name in the URL"),
      ("https://a@h.example", "a", "https://h.example (a) p"),
      ("https://a:@h.example:443/b:c@d", "a", "https://h.example (a) p at https://h.example:443/b:c@d"),
      ("https://[::1]/@b", "a", "https://[::1] (a) p at https://[::1]/@b"),
      ("android://b@com.example.app/", "a", "n (a) p at android://b@com.example.app/"),
    ] {
      let found = try Found("name,url,username,password\nn,\(address),\(account),p\n", as: .chrome)
      expect(found.logins, is: [login], "\(address)")
    }
    // Each address of an entry counts, whether or not it makes an item.
    let uris = #"[{"uri":"https://h.example"},{"uri":"https://b@h.example/x"}]"#
    try expect(
      Found(
        #"{"items":[{"type":1,"name":"n","login":{"password":"p","uris":\#(uris)}}]}"#, as: .bitwarden
      ).logins, is: ["https://h.example p", "https://h.example (b) p at https://h.example/x"])
    // Without a password of its own an entry stays, too.
    try expect(
      Found("name,url,username,password\nn,https://b:Pw-2@h.example,a,\n", as: .chrome).reasons,
      is: [
        "2 noSecret"
      ])
  }
}
