import Expectations
import Interchange
import Keychain
import Testing

/// Where a login of a developer's file holds: never at more places than its source says.
@Suite("places of developers' logins")
struct DeveloperPlacesTests {
  @Test(
    "a port that can't be read is not the default port",
    arguments: [
      (
        FileFormat.gitConfiguration,
        "[sendemail]\nsmtpServer = m.example\nsmtpPass = p\nsmtpServerPort = @\n", 3
      ),
      (
        .maven,
        "<settings><proxies><proxy><host>h.example</host>\n<password>p</password>\n<port>@</port></proxy></proxies></settings>",
        2
      ),
      (.mysql, "[client]\nhost=h.example\npassword=p\nport=@\n", 3),
      (.rclone, "[r]\ntype = sftp\nhost = h.example\npass = NfBlKb8s6YEcyxRUZwMseEaP\nport = @\n", 4),
    ])
  func ports(format: FileFormat, text: String, line: Int) throws {
    for (port, reason) in [
      ("submission", "noPlace"), ("0", "noPlace"), ("99999", "noPlace"), ("+22", "noPlace"),
      ("${env.PORT}", "reference"),
    ] {
      let written = text.replacing("@", with: port)
      try expect(result(of: written, format), is: ["\(line) \(reason)"], "\(port)")
      try expect(remainder(of: written, as: format), is: written)
    }
    try expect(Found(text.replacing("@", with: "2222"), as: format).logins[0].contains(":2222"))
    try expect(Found(text.replacing("@", with: ""), as: format).logins.count, is: 1)
  }

  @Test("Git Credential Manager: the user name of a service's URL on the desktop")
  func gcmOnDesktop() {
    func item(_ account: String?) -> Item? {
      DesktopItems.gcm.converted(
        Item(
          .genericPassword(
            GenericPassword(service: "git:https://bob@h.example", account: account.map { ByteString($0) }))))
    }
    expect(item(nil)?.key.account, is: "bob")
    expect(item("ana")?.key.account, is: "ana")
  }
}
