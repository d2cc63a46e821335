import Bytes
import Expectations
import Interchange
import Keychain
import Testing

/// Files in the shapes of what password managers export, with everything that becomes of each.
@Suite("whole exports of password managers")
struct ManagersExportsTests {
  /// A login with all that it keeps.
  private func whole(_ login: FoundLogin) -> String {
    let item = login.item
    func text(_ secret: borrowing Secret) -> String {
      secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    var words = ["\(item.key.name): \(text(login.credential.secret))"]
    func add(_ name: String, _ value: String?) {
      if let value { words.append("\(name) \(value)") }
    }
    add("label", item.label?.description)
    add("is a", item.itemDescription?.description)
    add("notes", item.comment?.description)
    item.tags.forEach { add("tag", $0.description) }
    item.fields.forEach { add("field \($0.name):", $0.value.description) }
    login.credential.further.forEachField { add("hidden \($0):", String(decoding: $1, as: UTF8.self)) }
    switch login.credential.further.oneTimeCode {
    case .none: break
    case .some(let code): add("code", text(code))
    }
    item.addresses.forEach { add("at", $0.description) }
    add("created", item.creationDate?.description)
    add("changed", item.modificationDate?.description)
    login.leftBehind.forEach { add("without", $0) }
    return words.joined(separator: "; ")
  }

  private func result(_ name: String, _ format: FileFormat) throws -> [String] {
    let found = try FoundLogins(Sample.bytes(of: "exports/\(name)"), as: format)
    return found.logins.map(whole) + Found(found).reasons + found.bookkeeping.map { "without \($0)" }
      + (found.hasOthers ? ["others"] : [])
  }

  @Test("1Password 7")
  func o1p7Csv() throws {
    try expect(
      result("1p7.csv", .onePassword),
      is: [
        "https://one7.example.org (ana): pw1; label T",
        "Card (x): 4111; is a Credit Card",
        "SW: n2; is a Software License; notes note",
      ])
  }

  @Test("1Password 8")
  func o1p8Csv() throws {
    try expect(
      result("1p8.csv", .onePassword),
      is: [
        "https://p.example.org (ana): pw1; label Plain; at https://p.example.org/login",
        "https://f.example.org (bob): p\"w,\nx; label Full; notes note; tag work; tag home;"
          + " tag favorite; without one-time code",
        "https://arch.example.org (c): pw3; label Arch; tag archived",
        "https://m1.example.org (e): pw5; label Multi",
        "https://m2.example.org (e): pw5; label Multi",
        "6 noSecret",
        "9 noSecret",
      ])
  }

  @Test("Bitwarden")
  func bwBomCrlfCsv() throws {
    try expect(
      result("bw-bom-crlf.csv", .bitwarden),
      is: [
        "https://plain.example.org (ana): pw-1; label plain; at https://plain.example.org/login",
        "https://full.example.org (bob): p\"w,\nz; label full; notes n1\nn2; tag Work/Sub;"
          + " tag favorite; tag reprompt; hidden PIN: 12; hidden X: y; without one-time code",
        "https://full2.example.org (bob): p\"w,\nz; label full; notes n1\nn2; tag Work/Sub;"
          + " tag favorite; tag reprompt; hidden PIN: 12; hidden X: y; without one-time code",
        "https://sp.example.org ( lead ):  trail ; label spaces",
        "https://typeless.example.org (ff): pw-5; label typeless",
        "https://upper.example.org (gg): pw-6; label upper",
        "7 addresses",
        "8 addresses",
        "9 noLogin",
        "10 noSecret",
        "12 noLogin",
        "15 addresses",
      ])
  }

  @Test("Chrome")
  func chromeCsv() throws {
    try expect(
      result("chrome.csv", .chrome),
      is: [
        "https://chrome1.example.com/login (ana): pw1; label www.example.com",
        "https://chrome2.example.com (bob): p\"w,x; label multi; notes line 1, comma\r\nline \"2\"",
        "missing url (miss): pw3",
        "broken (y): pw5; at htt:/broken.example.com",
        "app (droid): pw6; at android://aBcD-hash_123==@com.example.app/",
        "ftp://ftp.example.com (f): pw7; label ftp",
        "http://chrome1.example.com:8080 (ana): pw8; label http; at http://chrome1.example.com:8080/x",
        "https://chrome1.example.com/signup (ana): pw9; label chrome1.example.com",
        "https://nouser.example.com: pw10; label nouser",
        "https://noname.example.com (nn): pw11",
        "ext (e): pw12; at chrome-extension://abcdef/",
        "6 noSecret",
      ])
  }

  @Test("Edge")
  func edgeCsv() throws {
    try expect(
      result("edge.csv", .chrome),
      is: [
        "https://ed1.example.org (ana): pw1; label edge.example.org; notes a note of Edge"
      ])
  }

  @Test("Firefox")
  func ffCsv() throws {
    try expect(
      result("ff.csv", .firefox),
      is: [
        "https://router.example.org (admin): realm-pw; field httpRealm: Router;"
          + " created 2020-09-13T12:26:40.000Z; changed 2022-08-08T23:06:40.000Z",
        "https://ff1.example.org (ana): pw1; created 2020-09-13T12:26:40.000Z;"
          + " changed 2022-04-15T05:20:00.000Z",
        "https://ff2.example.org (bob): p\"w,\nx; created 2020-09-13T12:26:40.000Z;"
          + " changed 2022-04-15T05:20:00.000Z",
        "https://router.example.org (admin): form-pw; created 2020-09-13T12:26:40.000Z;"
          + " changed 2022-04-15T05:20:00.000Z",
        "moz-proxy://proxy.example.org:3128 (pu): ppw; field httpRealm: Proxy;"
          + " created 2020-09-13T12:26:40.000Z; changed 2022-04-15T05:20:00.000Z",
        "mailbox://pop.example.org (pu): pop-pw; field httpRealm: mailbox://pop.example.org;"
          + " created 2020-09-13T12:26:40.000Z; changed 2022-04-15T05:20:00.000Z",
        "oauth://accounts.example.com (me@example.com): 1//refresh;"
          + " field httpRealm: https://mail.example.com/; created 2020-09-13T12:26:40.000Z;"
          + " changed 2022-04-15T05:20:00.000Z",
        "imap://mail.example.org (mu): mpw; field httpRealm: imap://mail.example.org",
        "7 noLogin",
        "without guid",
        "without timeLastUsed",
      ])
  }

  @Test("KeePassXC's command line")
  func kdbxAsCsvCsv() throws {
    try expect(
      result("kdbx-as-csv.csv", .keepassxc),
      is: [
        "Database (bob): dbpw; at jdbc:postgresql://db.example.org/app;"
          + " created 2026-11-28T02:03:23.000Z; changed 2026-11-28T02:03:23.000Z",
        "No address (carol): pw3; created 2026-11-28T02:03:23.000Z; changed 2026-11-28T02:03:23.000Z",
        "https://git.example.org (alice): p\"w\\x, é; label Forge; notes two\nlines; tag Work;"
          + " code otpauth://totp/Forge:alice?secret=JBSWY3DPEHPK3PXP&period=30&digits=6&issuer=Forge;"
          + " at https://git.example.org/acme; created 2026-11-28T02:03:23.000Z;"
          + " changed 2026-11-28T02:03:23.000Z",
        "6 discarded",
        "without group",
      ])
  }

  @Test("KeePassXC in two languages")
  func kpxcCsv() throws {
    try expect(
      result("kpxc.csv", .keepassxc),
      is: [
        "https://kp.example.org (ana): pw1; label Plain; tag Social;"
          + " created 2023-01-15T10:30:00.000Z; changed 2024-01-15T10:30:00.000Z",
        "https://kt.example.org (bob): p\"w,\né; label Top; created 2023-01-15T10:30:00.000Z;"
          + " changed 2024-01-15T10:30:00.000Z",
        "https://kb2.example.org (a): x{nope}y; label braces2; tag A",
        "https://kb3.example.org (a): pw{SPACE}z{C:comment}; label spaceholder; tag A",
        "https://ktotp.example.org (a): pw; label totp; tag A; without one-time code",
        "cmd (a): pw; tag A; at cmd://ssh root@kcmd.example.org",
        "kdbx (a): pw; tag A; at kdbx://other.kdbx",
        "wildcard (a): pw; tag A; at https://*.wild.example.org",
        "file (a): pw; tag A; at file:///home/x",
        "5 discarded",
        "6 discarded",
        "7 discarded",
        "8 reference",
        "9 reference",
        "10 reference",
        "16 noSecret",
        "without group",
      ])
  }

  @Test("KeePass escapes with backslashes")
  func keepass1Csv() throws {
    try expect(
      result("keepass1.csv", .keePass),
      is: [
        "https://k1.example.org (ana): p\\w\"1; label quoted \"name\";"
          + " notes first\nsecond \"line\"; at https://k1.example.org/login",
        "no address (bob): pw,2",
        "app (eve): pw4; at cmd://putty root@host",
        "5 reference",
        "7 noSecret",
      ])
  }

  @Test("KeePass")
  func keepass2Csv() throws {
    try expect(
      result("keepass2.csv", .keePass),
      is: [
        "https://k2.example.org (ana): pw; label T"
      ])
  }

  @Test("LastPass")
  func lastpassCsv() throws {
    try expect(
      result("lastpass.csv", .lastPass),
      is: [
        "https://lp.example.org (ana): pw1; label lp; tag Work/Sub",
        "nourl (bob): pw2",
        "https://lp2.example.org (c): pw3; label lp2; notes a \"note\"; tag favorite;"
          + " without one-time code",
        "3 noLogin",
      ])
  }

  @Test("LastPass before it had one-time codes")
  func lastpassMoreCsv() throws {
    try expect(
      result("lastpass-more.csv", .lastPass),
      is: [
        "https://lp5.example.org (ana): p&amp;w<&lt;; label five; notes two\nlines;"
          + " tag Work/Clients/One; tag favorite; at https://lp5.example.org/login?x=1",
        "broken (bob): pw6; at htts:/broken.example.org",
        "4 noLogin",
      ])
  }

  @Test("Dashlane")
  func dashlaneCsv() throws {
    try expect(
      result("dashlane.csv", .dashlane),
      is: [
        "https://dl.example.org (ana): pw; label dl; tag Work"
      ])
  }

  @Test("Dashlane with several user names")
  func dashlaneMoreCsv() throws {
    try expect(
      result("dashlane-more.csv", .dashlane),
      is: [
        "https://da1.example.org (second@example.org): pw1; label no first name;"
          + " notes line 1\nline 2; field username3: third; code otpauth://totp/?secret=JBSWY3DPEHPK3PXP",
        "https://da2.example.org (ana): pw,\"2\"; label with \"quotes\", and commas; tag Shop;"
          + " field username3: other; at https://da2.example.org/comma,",
        "5 noSecret",
      ])
  }

  @Test("Proton Pass")
  func protonCsv() throws {
    try expect(
      result("proton.csv", .protonPass),
      is: [
        "https://pp.example.org (ana): pw; label pp; tag Personal; field email: a@example.org;"
          + " created 2023-11-14T22:13:20.000Z; changed 2023-11-14T22:13:20.000Z",
        "https://pp2.example.org (ana): pw; label pp; tag Personal; field email: a@example.org;"
          + " created 2023-11-14T22:13:20.000Z; changed 2023-11-14T22:13:20.000Z",
        "3 noLogin",
      ])
  }

  @Test("Proton Pass with what is no login")
  func protonMoreCsv() throws {
    try expect(
      result("proton-more.csv", .protonPass),
      is: [
        "https://pr1.example.org (ana@example.org): pw1; label login title; notes login note;"
          + " tag Personal; code otpauth://totp/x?secret=JBSWY3DPEHPK3PXP;"
          + " created 2024-02-12T10:55:20.000Z; changed 2024-02-12T10:55:49.000Z",
        "https://pr2.example.org (ana@example.org): pw1; label login title; notes login note;"
          + " tag Personal; code otpauth://totp/x?secret=JBSWY3DPEHPK3PXP;"
          + " at https://pr2.example.org/path; created 2024-02-12T10:55:20.000Z;"
          + " changed 2024-02-12T10:55:49.000Z",
        "3 noLogin",
        "4 noLogin",
        "5 addresses",
      ])
  }

  @Test("Proton Pass before it had e-mail addresses")
  func protonOldCsv() throws {
    try expect(
      result("proton-old.csv", .protonPass),
      is: [
        "https://pr5.example.org (ana@example.org): pw5; label old;"
          + " created 2023-11-14T22:13:20.000Z; changed 2023-11-14T22:13:21.000Z"
      ])
  }

  @Test("NordPass")
  func nordpassCsv() throws {
    try expect(
      result("nordpass.csv", .nordPass),
      is: [
        "https://np1.example.org: testtest; label short row",
        "https://np2.example.org (ana): pw2; label several; notes a note; tag Work;"
          + " field Shop: nine; hidden PIN: 12\"34; at hts:/broken.example.org;"
          + " at https://np2.example.org/login",
        "https://np3.example.org (ana): pw2; label several; notes a note; tag Work;"
          + " field Shop: nine; hidden PIN: 12\"34; at hts:/broken.example.org",
        "https://np4.example.org (bob): pw3; label odd fields; without additional_urls;"
          + " without email; without custom_fields",
        "https://np5.example.org (carl): pw5; label old row without a type",
        "2 noLogin",
        "6 noLogin",
        "7 noLogin",
      ])
  }

  @Test("Enpass")
  func enpassCsv() throws {
    try expect(
      result("enpass.csv", .enpass),
      is: [
        "https://en1.example.org (guy): 3\\9q,Fbr:4YR>; label website.example;"
          + " notes notes and stuff here; field Email: guy@example.org; field Phone: 123456789;"
          + " field Security question: a question; hidden Security answer: an answer;"
          + " at https://en1.example.org/login",
        "https://en2.example.org (ann@example.org): pw2; label Mail; hidden TOTP: second;"
          + " code otpauth://totp/?secret=JBSWY3DPEHPK3PXP",
        "2 noSecret",
        "3 noSecret",
        "5 malformed",
      ])
  }

  @Test("Enpass 5")
  func enpassOldCsv() throws {
    try expect(
      result("enpass-old.csv", .enpass),
      is: [
        "https://en3.example.org (ana): D<IN?#; label mastodon.example"
      ])
  }

  @Test("RoboForm")
  func roboformCsv() throws {
    try expect(
      result("roboform.csv", .roboForm),
      is: [
        "http://rf1.example.org (ana): some@pw; label two fields; notes cool note;"
          + " code otpauth://totp/?secret=JBSWY3DPEHPK3PXP",
        "http://rf2.example.org (empty): @\'password\"; label quotes",
        "https://rf3.example.org (bob): pw3; label more fields; notes line 1\nline 2;"
          + " tag Work/Sub; field City: Paris, France; field Terms: 1; hidden PIN: 4711;"
          + " at https://other.example.org; at https://rf3.example.org/login",
        "https://rf7.example.org (eva): 1234; label same values; hidden Password: 1234; hidden PIN: 1234;"
          + " hidden Repeat: 1234",
        "https://rf5.example.org (dan): pw5; label odd; without RfFieldsV2",
        "6 noSecret",
        "7 noSecret",
      ])
  }

  @Test("RoboForm 8")
  func roboformOldCsv() throws {
    try expect(
      result("roboform-old.csv", .roboForm),
      is: [
        "https://rf6.example.org (ana): pw6; label old; tag Bank; hidden Answer: blue"
      ])
  }

  @Test("Keeper")
  func keeperCsv() throws {
    try expect(
      result("keeper.csv", .keeper),
      is: [
        "https://ke1.example.org (2fa@example.com): pw1; label login with 2fa;"
          + " code otpauth://totp/x?secret=JBSWY3DPEHPK3PXP",
        "https://ke2.example.org (user, \"): pw, \"2; label comma, quotes \";"
          + " notes notes, \"\nmore; tag Work/Sub; tag Team/Shared; hidden Hidden Field: hidden one",
        "https://second.example.org (user, \"): pw, \"2; label comma, quotes \";"
          + " notes notes, \"\nmore; tag Work/Sub; tag Team/Shared; hidden Hidden Field: hidden one",
        "broken address (john): pw4; at https://ke:4.example.org/",
        "ssh key (john): pw5; notes foo; hidden Key Pair: private | public",
        "4 noSecret",
        "7 noSecret",
        "8 malformed",
      ])
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

  @Test("Apple's Passwords")
  func safariCsv() throws {
    try expect(
      result("safari.csv", .safari),
      is: [
        "https://s1.example.org (ana): pw1",
        "https://s2.example.org (bob): p\"w,; label s2; notes note\n2; without one-time code",
      ])
  }

  @Test("Safari 15")
  func safariOldCsv() throws {
    try expect(
      result("safari-old.csv", .safari),
      is: [
        "https://sa.example.org (a): p; label x"
      ])
  }

  @Test("Proton Pass before it had dates")
  func protonWithoutDates() throws {
    let text = "name,url,username,password,note,totp\nx,https://a.example/,u,p,n,JBSWY3DPEHPK3PXP\n"
    let found = try FoundLogins(Array(text.utf8), as: .protonPass)
    expect(
      found.logins.map(whole),
      is: [
        "https://a.example (u): p; label x; notes n; code otpauth://totp/?secret=JBSWY3DPEHPK3PXP"
      ])
    expect(found.logins[0].leftBehind.isEmpty)
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
