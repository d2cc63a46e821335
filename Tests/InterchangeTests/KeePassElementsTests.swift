import Expectations
import Interchange
import Keychain
import Testing

/// Whatever a person, or a plug-in, has said of an entry comes or stays, and what KeePass makes by itself is left to it.
@Suite("what KeePass keeps of an entry beside its fields")
struct KeePassElementsTests {
  private func file(_ parts: String, inGroup group: String = "") -> String {
    "<KeePassFile><Root><Group><UUID>A</UUID><Name>Root</Name>\(group)<Group><UUID>B</UUID><Name>G</Name><Entry>"
      + field("Title", "t") + field("Password", "p") + parts + "</Entry></Group></Group></Root></KeePassFile>"
  }

  private func field(_ name: String, _ value: String) -> String {
    "<String><Key>\(name)</Key><Value>\(value)</Value></String>"
  }

  private func lines(_ file: String) throws -> [String] {
    WholeLogins(try FoundLogins(Array(file.utf8), as: .keePass)).lines
  }

  @Test(
    "a date that can't be read stays",
    arguments: [
      // Eight bytes that no clock shows, seven of them, and a word.
      ("<CreationTime>AAAAAAAAAIA=</CreationTime>", "CreationTime"),
      ("<CreationTime>//////////8=</CreationTime>", "CreationTime"),
      ("<LastModificationTime>AAAAAAAAAA==</LastModificationTime>", "LastModificationTime"),
      ("<Expires>True</Expires><ExpiryTime>soon</ExpiryTime>", "ExpiryTime"),
      ("<ExpiryTime/><Expires>true</Expires>", "ExpiryTime"), ("<Expires>True</Expires>", "Expires"),
      ("<Expires>perhaps</Expires>", "Expires"), ("<Due>2027-01-01</Due>", "Due"),
    ])
  func dates(times: String, left: String) throws {
    try expect(lines(file("<Times>\(times)</Times>")), is: ["t p; tags G; left \(left)"])
  }

  @Test("a date that says nothing for the login doesn't keep it")
  func usualTimes() throws {
    try expect(
      lines(
        file(
          "<Times><CreationTime/><Expires>False</Expires><ExpiryTime>soon</ExpiryTime><LastAccessTime>x</LastAccessTime>"
            + "<UsageCount>3</UsageCount><LocationChanged>x</LocationChanged></Times>")), is: ["t p; tags G"])
    try expect(
      lines(
        file("<Times><Expires>True</Expires><ExpiryTime>2027-01-01T00:00:00Z</ExpiryTime></Times>")),
      is: ["t p; tags G; until 2027-01-01T00:00:00.000Z"])
  }

  @Test(
    "what a person or a plug-in has added stays",
    arguments: [
      (
        "<CustomData><Item><Key>MyPlugin.pin</Key><Value>4711</Value></Item></CustomData>",
        "custom data MyPlugin.pin"
      ),
      ("<AutoType><DefaultSequence>{PASSWORD}</DefaultSequence></AutoType>", "auto-type"),
      ("<AutoType><Enabled>False</Enabled></AutoType>", "auto-type"),
      (
        "<AutoType><Association><Window/><KeystrokeSequence>x</KeystrokeSequence></Association></AutoType>",
        "auto-type"
      ),
      ("<Reminder>ask Bob</Reminder>", "Reminder"),
      ("<Reminder><Person><Data>Bob</Data></Person></Reminder>", "Reminder"),
      ("<Reminder person=\"Bob\"/>", "Reminder"), ("<Meta><Person>Bob</Person></Meta>", "Meta"),
    ])
  func stays(parts: String, left: String) throws {
    try expect(lines(file(parts)), is: ["t p; tags G; left \(left)"])
  }

  @Test("an element that is called as a field doesn't stand in for it")
  func namesakes() throws {
    try expect(
      lines(file("<Notes>other</Notes>" + field("Notes", "n"))), is: ["t p; comment n; tags G; left notes"])
  }

  @Test("what KeePass and KeePassXC make by themselves is left to them")
  func program() throws {
    try expect(
      lines(
        file(
          "<UUID>C</UUID><IconID>0</IconID><Reminder>\n<Person/></Reminder><QualityCheck>True</QualityCheck>"
            + "<AutoType><Enabled>True</Enabled><DataTransferObfuscation>0</DataTransferObfuscation><DefaultSequence/>"
            + "<Association><Window/><KeystrokeSequence/></Association></AutoType>"
            + "<CustomData><Item><Key>BrowserHideEntry</Key><Value>true</Value></Item>"
            + "<Item><Key>KPXC_X</Key><Value>x</Value></Item></CustomData>")),
      is: ["t p; tags G", "without UUID", "without QualityCheck", "without CustomData"])
    // A person's field may have such a name.
    try expect(
      lines(file("<UUID>C</UUID>" + field("UUID", "u") + field("icon", "i") + "<IconID>3</IconID>")),
      is: ["t p; tags G; fields UUID=u, icon=i", "without UUID", "without icon"])
  }

  @Test("what a person has said of a group keeps the file")
  func groups() throws {
    for part in [
      "<Owner>Bob</Owner>", "<DefaultAutoTypeSequence>{PASSWORD}</DefaultAutoTypeSequence>",
      "<Notes>n</Notes>",
    ] {
      try expect(lines(file("", inGroup: part)), is: ["t p; tags G", "others"], "\(part)")
    }
    for part in [
      "<Notes/>", "<DefaultAutoTypeSequence/>", "<EnableAutoType>null</EnableAutoType>", "<Owner/>",
    ] {
      try expect(lines(file("", inGroup: part)), is: ["t p; tags G"], "\(part)")
    }
  }

  @Test("what is in the bin stays there, also if the file names the bin at its end")
  func bin() throws {
    let meta = "<Meta><RecycleBinUUID>B</RecycleBinUUID></Meta>"
    for (before, after) in [(meta, ""), ("", meta)] {
      let file = file("").replacing("<KeePassFile>", with: "<KeePassFile>\(before)")
        .replacing("</KeePassFile>", with: "\(after)</KeePassFile>")
      try expect(lines(file), is: ["skipped t discarded"])
    }
  }

  @Test("codes that can't be made are said to stay, and settings that have no place are fields")
  func codes() throws {
    let code = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP"
    for (parts, expected) in [
      (
        [("TimeOtp-Secret-Base32", "JBSWY3DPEHPK3PXP"), ("TimeOtp-Algorithm", "HMAC-SHA-384")],
        "tags G; left one-time code"
      ),
      (
        [("TimeOtp-Secret-Base32", "JBSWY3DPEHPK3PXP"), ("TimeOtp-Algorithm", "HMAC-SHA-1")],
        "code \(code); tags G"
      ),
      (
        [("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "30;6;https://time.example")],
        "code \(code); tags G; fields TOTP Settings=30;6;https://time.example"
      ),
      ([("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "30;6")], "code \(code); tags G"),
      (
        [("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "60;8")],
        "code \(code)&digits=8&period=60; tags G"
      ),
      ([("otp", "key=JBSWY3DPEHPK3PXP%3D%3d")], "code \(code); tags G"),
      ([("otp", "key=JBSW%20Y3DP")], "tags G; hidden otp=key=JBSW%20Y3DP"),
    ] as [([(String, String)], String)] {
      let fields = parts.map { field($0.0, $0.1) }.joined()
      try expect(lines(file(fields)), is: ["t p; \(expected)"], "\(parts)")
    }
  }
}
