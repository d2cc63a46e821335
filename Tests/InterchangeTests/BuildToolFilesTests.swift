import Expectations
import Interchange
import Keychain
import Testing

@Suite("files of Maven, NuGet, rclone and Git Credential Manager")
struct BuildToolFilesTests {
  @Test("Maven: what people have written there")
  func mavenForms() throws {
    func server(_ parts: String) -> String {
      "<settings><servers><server><id>a</id>\(parts)</server></servers></settings>"
    }
    for (parts, expected) in [
      // dequelabs/axe-core-maven-html#79, VOUNTY/Wizard#3
      ("<username>u</username><password><![CDATA[a&b]]></password>", ["maven:a (u) a&b"]),
      ("<password> r3-mx!3n4T03lcNMF§ </password>", ["maven:a r3-mx!3n4T03lcNMF§"]),
      // apache/maven#2831, #5611, #10250
      ("<password>{jSMOWnoPFgs=}</password>", ["1 undecipherable"]),
      ("<password>mine, until May {jSMOWnoPFgs=}</password>", ["1 undecipherable"]),
      ("<password>\\{a\\}</password>", ["1 disputed"]),
      ("<password>a}b{c</password>", ["maven:a a}b{c"]),
      (
        "<configuration><httpHeaders><property><name>Private-Token</name><value>{x=}</value></property></httpHeaders>"
          + "</configuration>", ["1 undecipherable"]
      ),
      // takezoe/gitbucket-maven-repository-plugin#16
      (
        "<configuration><httpHeaders><property><name>Authorization</name><value>token blah</value></property>"
          + "</httpHeaders></configuration>", ["maven:a:Authorization token blah"]
      ),
      // kiwigrid/antora-maven-content-extension#130, mark-vieira/gradle-maven-settings-plugin#19
      ("<username>${env.U}</username><password>${env.P}</password>", ["1 reference"]),
      ("<password>x</password><password>y</password>", ["1 disputed", "1 disputed"]),
      ("<password/>", ["1 noSecret"]), ("<username>u</username>", []),
      ("<!-- <password>old</password> --><password>p<!-- c -->w</password>", ["maven:a pw + comment"]),
    ] {
      try expect(result(of: server(parts), .maven), is: expected, "\(parts)")
    }
    #expect(throws: FormatFault.self) { try Found("<project></project>", as: .maven) }
    #expect(throws: FormatFault.self) { try Found("<settings><servers>", as: .maven) }
    let two =
      "<settings><mirrors><mirror><id>a</id><url>https://a.example</url></mirror></mirrors><profiles><profile>"
      + "<repositories><repository><id>a</id><url>https://b.example</url></repository></repositories></profile></profiles>"
      + "<servers><server><id>a</id><password>p</password></server></servers></settings>"
    try expect(result(of: two, .maven), is: ["maven:a p"])
  }

  @Test("NuGet: names and forms of sources")
  func nugetForms() throws {
    func source(_ element: String, _ parts: String) -> String {
      "<configuration><packageSourceCredentials><\(element)>\(parts)</\(element)></packageSourceCredentials></configuration>"
    }
    let login = #"<add key="Username" value="u" /><add key="ClearTextPassword" value="p" />"#
    for (element, parts, expected) in [
      // NuGet/Home#6221, #7517, #7527
      ("rnd-virtual", login, ["nuget:rnd-virtual (u) p"]), ("a_x0020_b_x0020_", login, ["nuget:a b  (u) p"]),
      ("_x0031_st_x005F_x", login, ["nuget:1st_x (u) p"]), ("_xD83D__xDE00_", login, ["nuget:😀 (u) p"]),
      ("a_x00_", login, ["nuget:a_x00_ (u) p"]),
      // NuGet/Home#8662
      (
        "a", #"<add key="username" value="u"/><add key="cleartextpassword" value="%TOKEN%"/>"#,
        ["1 reference"]
      ),
      (
        "a", #"<add key="Username" value="u"/><add key="ClearTextPassword" value="100%a"/>"#,
        ["nuget:a (u) 100%a"]
      ),
      ("a", #"<add key="Username" value="u"/><add key="ClearTextPassword" value="${T}"/>"#, ["1 reference"]),
      // NuGet/Home#5526
      ("a", #"<add key="Username" value="u"/><add key="Password" value="AQ"/>"#, ["1 undecipherable"]),
      ("a", login + #"<add key="ClearTextPassword" value="q" />"#, ["1 disputed"]),
      ("a", #"<add key="Username" value="u"/>"#, ["1 noSecret"]),
      ("a", login + #"<add key="New" value="x" />"#, ["nuget:a (u) p + new"]),
    ] {
      try expect(result(of: source(element, parts), .nuget), is: expected, "\(element) \(parts)")
    }
    #expect(throws: FormatFault.self) { try Found("<settings></settings>", as: .nuget) }
  }

  @Test("rclone: what people have written there")
  func rcloneForms() throws {
    for (text, expected) in [
      // rclone/rclone#8169, #1743
      ("[ls]\ntype = sftp\nhost = h\npass = abc#\n", ["4 undecipherable"]),
      ("[laptop]\ntype = sftp\nhost = 192.0.2.1\npass = short\nkey_file =\n", ["4 undecipherable"]),
      // rclone/rclone#3728
      (
        "[P1]\ntype = webdav\nurl = https://h.example/x\npass = 1234567890123456789012\n",
        ["4 undecipherable"]
      ),
      // chenxiaolong/RSAF#223
      ("[c]\ntype = crypt\npassword2 = reminder-duller-imitation-carefully\n", ["3 undecipherable"]),
      ("[b]\ntype = b2\naccount = 001\nkey = K001/x\n", ["rclone:b:key (001) K001/x"]),
      ("[b]\ntype=b2\nkey: `K 1`\n", ["rclone:b:key K 1"]),
      ("[b]\nkey = \"\"\"k\"\"\"\n", ["rclone:b:key k"]),
      ("[b]\nkey = `open\n", ["2 malformed"]), ("[b]\nkey = %(x)s\n", ["2 reference"]),
      (
        "[w]\ntype = webdav\nurl = https://h.example\nbearer_token = t\n",
        ["rclone:w:bearer_token t at https://h.example"]
      ),
      ("[b]\nkey =\n", ["2 noSecret"]), ("# mine\n[l]\ntype = local\n", []), ("", []),
    ] {
      try expect(result(of: text, .rclone), is: expected, "\(text)")
    }
    #expect(throws: FormatFault.self) { try Found("x\n", as: .rclone) }
    #expect(throws: FormatFault.self) {
      try Found("# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA\n", as: .rclone)
    }
  }

  @Test("rclone: a name that is no variable's")
  func rcloneHint() throws {
    let cloud = "[my cloud]\ntype = webdav\nurl = https://h.example\npass = NfBlKb8s6YEcyxRUZwMseEaP\n"
    try expect(
      instead(of: cloud, .rclone),
      is: [
        "RCLONE_PASS=llavero+https://h.example -- sh -c "
          + #"RCLONE_WEBDAV_PASS=$(printf %s "$RCLONE_PASS" | rclone obscure -) exec rclone lsd 'my cloud:'"#
      ])
  }

  @Test("Git Credential Manager: a login in each file")
  func gcm() throws {
    for (text, expected) in [
      ("t\nservice=https://dev.azure.com/org\naccount=\n", ["https://dev.azure.com/org t"]),
      ("t\nservice=http://h.example:8080/a%20b\naccount=a b\n", ["http://h.example:8080/a%20b (a b) t"]),
      ("t\nservice=https://h.example\naccount=u\nnew=x\n", ["https://h.example (u) t + new"]),
      ("\nservice=https://h.example\n", ["1 noSecret"]), ("t\naccount=u\n", ["1 noPlace"]),
      ("t\nservice=nowhere\n", ["1 noPlace"]), ("t\r\nservice=https://h.example\r\n", ["1 disputed"]),
      ("", []),
    ] {
      try expect(result(of: text, .gcm), is: expected, "\(text)")
    }
    try expect(remainder(of: "t\nservice=https://h.example\naccount=u\n", as: .gcm), is: "")
  }
}
