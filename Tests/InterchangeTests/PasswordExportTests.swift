import Expectations
import Interchange
import Keychain
import Testing

@Suite("password managers' exports")
struct PasswordExportTests {
  @Test("columns are known by their names, in any order, after a byte order mark")
  func columns() throws {
    let found = try Found(
      "\u{FEFF}PASSWORD, Username ,url,extra,name\r\nx,a,https://h.example,,n\r\n\r\ny,b,,,m\r\n", as: .chrome
    )
    expect(found.logins, is: ["https://h.example (a) x", "m (b) y"])
    expect(found.origins, is: [.line(2), .line(4)])
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
}
