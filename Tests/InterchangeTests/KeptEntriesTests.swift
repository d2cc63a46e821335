import Expectations
import Interchange
import Keychain
import Testing

/// What an entry says in an unusual way, or where programs differ, and that is neither lost nor taken for something else.
@Suite("entries that say something unusual")
struct KeptEntriesTests {
  private func whole(_ text: String, _ format: FileFormat) throws -> [String] {
    WholeLogins(try FoundLogins(Array(text.utf8), as: format)).lines
  }

  private func bitwarden(_ items: String, _ more: String = "") -> String {
    "{\"encrypted\":false,\(more)\"items\":[\(items)]}"
  }

  @Test("a field that a person has called as one of our own")
  func ownNames() throws {
    let header =
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
    try expect(
      whole("\(header),,login,n,,llavero-token: s3cr3t,0,,u,p,\n", .bitwarden),
      is: [
        "n (u) p; hidden llavero-token=s3cr3t"
      ])
    try expect(
      whole(
        "\(header),,login,n,,\"llavero-service: svc\nllavero-token: x\",0,https://h.example,u,p,\n",
        .bitwarden), is: ["https://h.example (u) p; called n; fields service=svc; hidden llavero-token=x"])
    try expect(
      whole(
        "\(header),,login,n,,\"llavero-service: svc\nllavero-authenticationType: form\",0,,,p,\n", .bitwarden),
      is: ["svc p; called n; fields authenticationType=form"])
    // A line without a name may belong to the one before.
    try expect(
      whole("\(header),,login,n,,\"a: 1\n: 2\",0,,u,p,\n", .bitwarden), is: ["n (u) p; left custom fields"])
  }

  @Test("a member that is there twice is read differently, and so not at all")
  func repeatedMembers() throws {
    let login = #"{"type":1,"name":"n","login":{"username":"u","password":"p"}}"#
    try expect(whole(bitwarden(login), .bitwarden), is: ["n (u) p"])
    for text in [
      bitwarden(login, "\"items\":[\(login)],"), bitwarden(login, "\"folders\":[],\"folders\":[],"),
    ] {
      #expect(throws: FormatFault.self) { try whole(text, .bitwarden) }
    }
    let accounts = #""accounts":[{"items":[]}]"#
    #expect(throws: FormatFault.self) {
      try whole("{\"version\":{\"major\":1},\(accounts),\(accounts)}", .credentialExchange)
    }
  }

  @Test("what is archived doesn't take the place of what is in use")
  func archived() throws {
    func login(_ password: String, _ more: String) -> String {
      #"{"type":1,"name":"n","login":{"username":"u","password":"\#(password)","uris":[{"uri":"https://h.example"}]},\#(more)}"#
    }
    let old = login("old", #""archivedDate":"2025-06-01T00:00:00Z","revisionDate":"2025-05-01T00:00:00Z""#)
    let new = login("new", #""revisionDate":"2025-04-01T00:00:00Z""#)
    let found = try FoundLogins(Array(bitwarden("\(old),\(new)").utf8), as: .bitwarden)
    expect(found.keptApart.count, is: 1)
    expect(found.keptApart.first?.logins.count, is: 2)
  }

  @Test("what a person calls an address in 1Password")
  func namedAddresses() throws {
    let text = #"""
      {"accounts":[{"vaults":[{"items":[{"categoryUuid":"001","overview":{"title":"t","urls":[
      {"label":"website","url":"https://a.example"},{"label":"ask Bob","url":"https://b.example"},
      {"label":"lost","url":""}]},"details":{"loginFields":[
      {"designation":"username","value":"u"},{"designation":"password","value":"p"}]}}]}]}]}
      """#
    try expect(
      whole(text, .onePassword),
      is: [
        "https://a.example (u) p; called t; fields ask Bob=https://b.example; left label",
        "https://b.example (u) p; called t; fields ask Bob=https://b.example; left label",
        "without label",
      ])
  }

  @Test("folders without entries and searches that a person has saved keep a file of 1Password")
  func foldersOfInterchange() throws {
    let separator = "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n"
    let login =
      #"{"typeName":"passwords.Password","title":"t","folderUuid":"a","secureContents":{"password":"p"}}"#
    let used = #"{"typeName":"system.folder.Regular","uuid":"a","title":"In","folderUuid":"b"}"#
    let above = #"{"typeName":"system.folder.Regular","uuid":"b","title":"Above"}"#
    let empty = #"{"typeName":"system.folder.Regular","uuid":"c","title":"Empty"}"#
    let search = #"{"typeName":"system.folder.SavedSearch","title":"Mine"}"#
    func hasOthers(_ lines: String...) throws -> Bool {
      let text = lines.map { "\($0)\n\(separator)" }.joined()
      return try FoundLogins(Array(text.utf8), as: .onePassword).hasOthers
    }
    try expect(!hasOthers(login, used, above))
    try expect(hasOthers(login, used, above, empty))
    try expect(hasOthers(login, used, above, search))
  }

  @Test("a code alone doesn't say that the others are the same")
  func codeAmongPaths() throws {
    func row(_ path: String, _ password: String, _ code: String = "") -> String {
      "n,https://h.example/\(path),u,\(password),,\(code)\n"
    }
    let text =
      "Title,URL,Username,Password,Notes,OTPAuth\n" + row("x", "", "JBSWY3DPEHPK3PXP") + row("y", "1")
      + row("z", "2")
    try expect(
      Found(text, as: .safari).logins.map { $0.prefix(21) },
      is: [
        "https://h.example/x (", "https://h.example/y (", "https://h.example/z (",
      ])
  }

  @Test(
    "of several lines for one login, none goes alone",
    arguments: [
      (
        FileFormat.gitCredentials, "https://u:new@h.example\nhttps://u:old@h.example\nhttps://v:x@h.example\n"
      ),
      (.pgpass, "h:5432:d:u:new\nh:5432:d:u:old\nh:5432:d:v:x\n"),
    ])
  func firstOfSeveral(format: FileFormat, text: String) throws {
    let found = try FoundLogins(Array(text.utf8), as: format)
    expect(found.logins.map(\.removals.count), is: [2, 2, 1])
    expect(Set(found.logins[0].removals), is: Set(found.logins[1].removals))
  }

  @Test("a star in a value of Enpass hides nothing, and says nothing of others")
  func starInValue() throws {
    try expect(
      whole(#""t","Username","u","Password","*p","PIN","1","""# + "\n", .enpass),
      is: [
        "t (u) *p; hidden PIN=1"
      ])
  }

  @Test("a label of Keeper may be a number")
  func numberAsLabel() throws {
    let text =
      #"{"records":[{"title":"t","$type":"login","login":"u","password":"p","custom_fields":{"$text:2024":"x"}}]}"#
    try expect(whole(text, .keeper), is: ["t (u) p; fields 2024=x"])
  }

  @Test("a token that stands for a user name is no attribute")
  func tokenAsName() throws {
    let token = "x-access-token"
    try expect(
      whole("https://ghp_a:x-oauth-basic@github.com\n", .gitCredentials),
      is: [
        "https://github.com (\(token)) ghp_a"
      ])
    try expect(
      whole("machine github.com login ghp_a password x-oauth-basic\n", .netrc),
      is: [
        "https://github.com (\(token)) ghp_a"
      ])
    let composer = #"{"http-basic":{"github.com":{"username":"ghp_a","password":"x-oauth-basic"}}}"#
    try expect(whole(composer, .composer).first?.hasPrefix("https://github.com (\(token)) ghp_a"), is: true)
  }

  @Test("what codes are made of is needed for the rest of them")
  func codeWithoutSecret() throws {
    let text = #"""
      {"version":{"major":1},"accounts":[{"items":[{"title":"t","credentials":[
      {"type":"basic-auth","username":{"value":"u"},"password":{"value":"p"}},
      {"type":"totp","issuer":"Bank","digits":8}]}]}]}
      """#
    let lines = try whole(text, .credentialExchange)
    expect(lines.first?.hasPrefix("t (u) p; left "), is: true, "\(lines)")
  }

  @Test("Keeper's labels may have colons, and end in a number that isn't theirs")
  func keeperLabels() throws {
    let text = #"""
      {"records":[{"uid":"a","title":"T","$type":"login","login":"u","password":"p","custom_fields":{
      "$text:Server: port:1":"8080","$text:Server: name:1":"db1","$text:PIN":"x","$text:2024:1":"y","$text::1":"z"}}]}
      """#
    let found = try FoundLogins(Array(text.utf8), as: .keeper).logins
    expect(
      found.flatMap(\.item.fields).map { "\($0.name)=\($0.value)" }.sorted(),
      is: [
        "2024=y", "PIN=x", "Server: name=db1", "Server: port=8080", "text=z",
      ])
  }

  @Test("Proton Pass before it had dates")
  func protonWithoutDates() throws {
    let text = "name,url,username,password,note,totp\nx,https://a.example/,u,p,n,JBSWY3DPEHPK3PXP\n"
    try expect(
      whole(text, .protonPass),
      is: ["https://a.example (u) p; called x; comment n; code otpauth://totp/?secret=JBSWY3DPEHPK3PXP"])
  }

  @Test("what stands outside of the entries keeps the file, if a person has written it")
  func outside() throws {
    func others(_ text: String, _ format: FileFormat) throws -> Bool {
      try FoundLogins(Array(text.utf8), as: format).hasOthers
    }
    func proton(_ vault: String) -> String {
      #"{"version":"1","userId":"u","encrypted":false,"vaults":{"v":{\#(vault)}}}"#
    }
    let display = #""display":{"color":0,"icon":0}"#
    try expect(!others(proton(#""name":"P","description":"",\#(display),"items":[{}]"#), .protonPass))
    try expect(others(proton(#""name":"P","description":"D","items":[{}]"#), .protonPass))
    try expect(others(proton(#""name":"P","items":[]"#), .protonPass))
    try expect(others(proton(#""name":"P","items":[{}],"new":"n""#), .protonPass))

    func archive(_ account: String, _ vault: String) -> String {
      #"{"accounts":[{"attrs":{"accountName":"A","name":"N","avatar":"a.png","email":"e","uuid":"u","domain":"d"\#(account)},"#
        + #""vaults":[{"attrs":{"uuid":"v","name":"P","avatar":"","type":"P"\#(vault)},"items":[{}]}]}]}"#
    }
    try expect(!others(archive("", #","desc":"""#), .onePassword))
    try expect(others(archive("", #","desc":"D""#), .onePassword))
    try expect(others(archive(#","note":"x""#, ""), .onePassword))

    func exchange(_ account: String) -> String {
      #"{"version":{"major":1,"minor":0},"exporterRpId":"x","exporterDisplayName":"X","timestamp":1,"accounts":["#
        + #"{"id":"a","username":"u","email":"e","fullName":"F","items":[{}]\#(account)}]}"#
    }
    try expect(
      !others(
        exchange(#","collections":[{"id":"c","title":"C","items":[{"item":"i"}]}]"#), .credentialExchange))
    try expect(
      others(
        exchange(#","collections":[{"id":"c","title":"C","subtitle":"S","items":[{"item":"i"}]}]"#),
        .credentialExchange))
    try expect(others(exchange(#","extensions":[{"name":"n"}]"#), .credentialExchange))

    func bitwarden(_ item: String) -> String {
      #"{"encrypted":false,"folders":[{"id":"f","name":"F"}],"items":[\#(item)]}"#
    }
    let entry = #"{"id":"i","type":1,"folderId":"f","name":"n","login":{"password":"p"}}"#
    try expect(!others(bitwarden(entry), .bitwarden))
    try expect(others(bitwarden(#"{"id":"i","type":1,"name":"n","login":{"password":"p"}}"#), .bitwarden))

    func enpass(_ folder: String) -> String {
      #"{"folders":[{"title":"F","uuid":"f"},{"title":"G","uuid":"g","parent_uuid":"f"}],"items":[{"title":"a","#
        + #""category":"login","folders":["\#(folder)"],"fields":[{"type":"password","value":"p"}]}]}"#
    }
    try expect(!others(enpass("g"), .enpass))
    try expect(others(enpass("f"), .enpass))

    func keePass(_ meta: String, _ group: String) -> String {
      "<KeePassFile><Meta><Generator>K</Generator><DatabaseName>N</DatabaseName>\(meta)</Meta><Root><Group>"
        + "<UUID>A</UUID><Name>Root</Name>\(group)</Group></Root></KeePassFile>"
    }
    try expect(
      !others(
        keePass(
          "<DatabaseDescription/><CustomData><Item><Key>KPXC_X</Key><Value>v</Value></Item></CustomData>", ""),
        .keepassxc))
    // KeePass makes such groups by itself.
    try expect(
      !others(keePass("", "<Group><UUID>D</UUID><Name>General</Name></Group>"), .keepassxc))
    for meta in [
      "<DatabaseDescription>D</DatabaseDescription>", "<DefaultUserName>U</DefaultUserName>",
      "<CustomIcons><Icon><UUID>u</UUID><Data>SUNPTg==</Data></Icon></CustomIcons>",
      "<CustomData><Item><Key>k</Key><Value>v</Value></Item></CustomData>",
    ] { try expect(others(keePass(meta, ""), .keepassxc), "\(meta)") }
    for group in ["<Tags>T</Tags>", "<CustomData><Item><Key>k</Key><Value>v</Value></Item></CustomData>"] {
      try expect(others(keePass("", group), .keepassxc), "\(group)")
    }
  }

  @Test("an entry that can't be read is named by its number or title")
  func malformedEntries() throws {
    let text =
      #"{"items":[{"type":1,"name":"a","name":"b","login":{"password":"p"}},"#
      + #"{"type":1,"name":"num","login":{"password":1}},{"type":"1","login":{"password":"p"}}]}"#
    expect(
      Found(try FoundLogins(Array(text.utf8), as: .bitwarden)).reasons,
      is: [
        "entry 1 malformed", "num malformed", "entry 3 malformed",
      ])
  }
}
