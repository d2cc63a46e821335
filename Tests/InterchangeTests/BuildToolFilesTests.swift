import Expectations
import Interchange
import Keychain
import Testing

/// Files of Maven, NuGet, rclone and Git Credential Manager, with everything that becomes of each.
@Suite("files of Maven, NuGet, rclone and Git Credential Manager")
struct BuildToolFilesTests {
  private func result(_ name: String, _ format: FileFormat) throws -> [String] {
    let found = try Found(sample: "exports/\(name)", as: format)
    return found.logins + found.reasons
  }

  private func result(of text: String, _ format: FileFormat) throws -> [String] {
    let found = try Found(text, as: format)
    return found.logins + found.reasons
  }

  private func hints(_ text: String, _ format: FileFormat) throws -> [String] {
    try FoundLogins(Array(text.utf8), as: format).logins.flatMap { login -> [String] in
      guard let instead = format.instead(of: login.item) else { return ["none"] }
      return (instead.line.map { [$0] } ?? []) + [instead.command.dropFirst(3).joined(separator: " ")]
    }
  }

  private func lines(_ name: String, _ format: FileFormat) throws -> [Substring] {
    let rest = try remainder(of: Sample.bytes(of: "exports/\(name)"), as: format)
    return String(decoding: rest, as: UTF8.self).split(separator: "\n")
  }

  // MARK: Maven

  @Test("Maven: servers, headers, proxies and properties; what is encrypted or a variable stays")
  func maven() throws {
    let result = try self.result("settings.xml", .maven)
    expect(
      result,
      is: [
        "https://maven.example.org/repository/all (ana) p&w", "maven:releases:passphrase (ana) pass<phrase",
        "maven:gitlab:Private-Token glpat-x", "http://proxy.example.org:8080 (bob) secret",
        "maven:sonar.token sqp_1", "26 undecipherable", "27 reference",
      ])
    let gone = ["p&amp;w", "phrase", "glpat", "secret", "sqp_1"]
    let rest = try lines("settings.xml", .maven)
    expect(rest.count, is: 48)
    expect(!rest.contains { line in gone.contains { line.contains($0) && !line.contains("<privateKey>") } })
    expect(rest.contains("          <property><name>Private-Token</name></property>"))
  }

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
      let actual = try result(of: server(parts), .maven)
      expect(actual, is: expected, "\(parts)")
    }
    #expect(throws: FormatFault.self) { try Found("<project></project>", as: .maven) }
    #expect(throws: FormatFault.self) { try Found("<settings><servers>", as: .maven) }
    let two =
      "<settings><mirrors><mirror><id>a</id><url>https://a.example</url></mirror></mirrors><profiles><profile>"
      + "<repositories><repository><id>a</id><url>https://b.example</url></repository></repositories></profile></profiles>"
      + "<servers><server><id>a</id><password>p</password></server></servers></settings>"
    try expect(result(of: two, .maven), is: ["maven:a p"])
  }

  @Test("Maven: variables that take the places")
  func mavenHints() throws {
    let text = try String(decoding: Sample.bytes(of: "exports/settings.xml"), as: UTF8.self)
    let hints = try self.hints(text, .maven)
    expect(
      hints,
      is: [
        "<password>${env.MAVEN_PASSWORD_CORP}</password>",
        "MAVEN_PASSWORD_CORP=llavero+https://ana@maven.example.org/repository/all -- mvn -B verify",
        "<passphrase>${env.MAVEN_PASSPHRASE_RELEASES}</passphrase>",
        "MAVEN_PASSPHRASE_RELEASES=llavero://maven:releases:passphrase/ana -- mvn -B verify",
        "<value>${env.MAVEN_TOKEN_GITLAB}</value>",
        "MAVEN_TOKEN_GITLAB=llavero://maven:gitlab:Private-Token -- mvn -B verify",
        "<password>${env.MAVEN_PASSWORD_OUT}</password>",
        "MAVEN_PASSWORD_OUT=llavero+http://bob@proxy.example.org:8080 -- mvn -B verify",
        "<sonar.token>${env.MAVEN_PASSWORD_SONAR_TOKEN}</sonar.token>",
        "MAVEN_PASSWORD_SONAR_TOKEN=llavero://maven:sonar.token -- mvn -B verify",
      ])
  }

  // MARK: NuGet

  @Test("NuGet: sources with their URLs; what is encrypted or a variable stays")
  func nuget() throws {
    let result = try self.result("NuGet.Config", .nuget)
    expect(
      result,
      is: [
        #"https://nuget.example.org/v3/index.json (ana) p"w"#, "https://feed.example.org:8443/nuget (ana) pw",
        "28 undecipherable", "18 undecipherable", "22 reference",
      ])
    let rest = try lines("NuGet.Config", .nuget)
    expect(rest.count, is: 21)
    expect(!rest.contains { $0.contains("corp>") || $0.contains("x0020") })
    let found = try FoundLogins(Sample.bytes(of: "exports/NuGet.Config"), as: .nuget)
    expect(found.logins.map { $0.item.label }, is: ["corp", "Test Source"])
    expect(found.logins[1].item.fields.map(\.value), is: ["basic"])
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
      let actual = try result(of: source(element, parts), .nuget)
      expect(actual, is: expected, "\(element) \(parts)")
    }
    #expect(throws: FormatFault.self) { try Found("<settings></settings>", as: .nuget) }
  }

  @Test("NuGet: variables that take the places")
  func nugetHints() throws {
    let text = try String(decoding: Sample.bytes(of: "exports/NuGet.Config"), as: UTF8.self)
    let hints = try self.hints(text, .nuget)
    expect(
      hints,
      is: [
        "NuGetPackageSourceCredentials_corp=Username=ana;Password=${llavero+https://ana@nuget.example.org/v3/index.json} "
          + "-- dotnet restore",
        #"<Test_x0020_Source><add key="Username" value="ana" /><add key="ClearTextPassword" "#
          + #"value="%NUGET_PASSWORD_TEST_SOURCE%" /><add key="ValidAuthenticationTypes" value="basic" /></Test_x0020_Source>"#,
        "NUGET_PASSWORD_TEST_SOURCE=llavero+https://ana@feed.example.org:8443/nuget -- dotnet restore",
      ])
  }

  // MARK: rclone

  @Test("rclone: what it obscures, what it doesn't, and tokens that it renews")
  func rclone() throws {
    let result = try self.result("rclone.conf", .rclone)
    expect(
      result,
      is: [
        #"sftp://nas.example.org:2222 (ana) p w"1"#,
        "rclone:nas:key_file_pass (ana) phrase at nas.example.org",
        "https://cloud.example.org/remote.php/dav/files/ana (ana) pw",
        "rclone:s3:secret_access_key (AKIA1) s3/key+ at https://minio.example.org",
        "rclone:secret:password one",
        #"rclone:box:token {"access_token":"sl.a","token_type":"bearer","expiry":"0001-01-01T00:00:00Z"}"#,
        "27 undecipherable", "32 renewed", "41 undecipherable",
      ])
    let rest = try lines("rclone.conf", .rclone)
    expect(
      rest.filter {
        $0.hasPrefix("pass") || $0.hasPrefix("secret") || $0.hasPrefix("key") || $0.hasPrefix("token")
      }.count, is: 3)
    expect(rest.contains("access_key_id = AKIA1") && rest.contains("[box]"))
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
      let actual = try result(of: text, .rclone)
      expect(actual, is: expected, "\(text)")
    }
    #expect(throws: FormatFault.self) { try Found("x\n", as: .rclone) }
    #expect(throws: FormatFault.self) {
      try Found("# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA\n", as: .rclone)
    }
  }

  @Test("rclone: variables that take the places, obscured where rclone wants that")
  func rcloneHints() throws {
    let text = try String(decoding: Sample.bytes(of: "exports/rclone.conf"), as: UTF8.self)
    let hints = try self.hints(text, .rclone)
    expect(
      hints,
      is: [
        "RCLONE_PASS=llavero+sftp://ana@nas.example.org:2222 -- sh -c "
          + #"RCLONE_CONFIG_NAS_PASS=$(printf %s "$RCLONE_PASS" | rclone obscure -) exec rclone lsd nas:"#,
        "RCLONE_PASS=llavero://rclone:nas:key_file_pass/ana -- sh -c "
          + #"RCLONE_CONFIG_NAS_KEY_FILE_PASS=$(printf %s "$RCLONE_PASS" | rclone obscure -) exec rclone lsd nas:"#,
        "RCLONE_PASS=llavero+https://ana@cloud.example.org/remote.php/dav/files/ana -- sh -c "
          + #"RCLONE_CONFIG_CLOUD_PASS=$(printf %s "$RCLONE_PASS" | rclone obscure -) exec rclone lsd cloud:"#,
        "RCLONE_CONFIG_S3_SECRET_ACCESS_KEY=llavero://rclone:s3:secret_access_key/AKIA1 -- rclone lsd s3:",
        "RCLONE_PASS=llavero://rclone:secret:password -- sh -c "
          + #"RCLONE_CONFIG_SECRET_PASSWORD=$(printf %s "$RCLONE_PASS" | rclone obscure -) exec rclone lsd secret:"#,
        "RCLONE_CONFIG_BOX_TOKEN=llavero://rclone:box:token -- rclone lsd box:",
      ])
    let cloud = "[my cloud]\ntype = webdav\nurl = https://h.example\npass = NfBlKb8s6YEcyxRUZwMseEaP\n"
    let named = try self.hints(cloud, .rclone)
    expect(
      named,
      is: [
        "RCLONE_PASS=llavero+https://h.example -- sh -c "
          + #"RCLONE_WEBDAV_PASS=$(printf %s "$RCLONE_PASS" | rclone obscure -) exec rclone lsd 'my cloud:'"#
      ])
  }

  // MARK: Git Credential Manager

  @Test("Git Credential Manager: a login in each file")
  func gcm() throws {
    try expect(result("ana.credential", .gcm), is: ["https://github.com (ana) gho_abc"])
    for (text, expected) in [
      ("t\nservice=https://dev.azure.com/org\naccount=\n", ["https://dev.azure.com/org t"]),
      ("t\nservice=http://h.example:8080/a%20b\naccount=a b\n", ["http://h.example:8080/a%20b (a b) t"]),
      ("t\nservice=https://h.example\naccount=u\nnew=x\n", ["https://h.example (u) t + new"]),
      ("\nservice=https://h.example\n", ["1 noSecret"]), ("t\naccount=u\n", ["1 noPlace"]),
      ("t\nservice=nowhere\n", ["1 noPlace"]), ("t\r\nservice=https://h.example\r\n", ["1 disputed"]),
      ("", []),
    ] {
      let actual = try result(of: text, .gcm)
      expect(actual, is: expected, "\(text)")
    }
    try expect(remainder(of: "t\nservice=https://h.example\naccount=u\n", as: .gcm), is: "")
  }
}
