import Expectations
import Keychain
import Testing

@testable import Commands

@Suite("which item security means") struct SecurityCriteriaTests {
  private func internet(_ texts: String...) throws -> SecurityCriteria { try internet(texts) }

  private func internet(_ texts: [String]) throws -> SecurityCriteria {
    try SecurityCriteria(
      try SecurityOptions(texts.map { SecurityWord(Secret($0)) }, "a:s:d:p:P:r:t:l:D:j:c:C:"),
      isInternetPassword: true)
  }

  private func generic(_ texts: String...) throws -> SecurityCriteria {
    try SecurityCriteria(
      try SecurityOptions(texts.map { SecurityWord(Secret($0)) }, "a:s:G:l:D:j:c:C:"),
      isInternetPassword: false)
  }

  private let item = Item(
    .internetPassword(
      InternetPassword(protocol: "https", server: "Git.example", account: "alice", path: "acme")),
    label: "work", comment: "c", creator: "abcd")

  @Test("each option has to agree; none is any")
  func agreement() throws {
    for good in [
      [], ["-s", "git.EXAMPLE"], ["-a", "alice"], ["-r", "htps"], ["-P", "443"], ["-P", "0"], ["-p", "acme"],
      ["-p", "/acme/"], ["-t", "dflt"], ["-l", "work"], ["-j", "c"], ["-c", "abcd"], ["-d", ""], ["-D", ""],
    ] {
      try expect(internet(good).matches(item), "\(good)")
    }
    for bad in [
      ["-s", "git.exampl"], ["-a", "Alice"], ["-a", ""], ["-r", "http"], ["-P", "8443"], ["-p", ""],
      ["-p", "acme/app"], ["-t", "ntlm"], ["-l", "git.example"], ["-j", ""], ["-c", "abce"], ["-C", "abcd"],
      ["-d", "docker"], ["-D", "x"],
    ] {
      try expect(!internet(bad).matches(item), "\(bad)")
    }
    try expect(!generic().matches(item))
    try expect(!internet().matches(Item(GenericPassword(service: "s"))))
  }

  @Test("with a whole primary key nothing else counts")
  func primaryKey() throws {
    let backup = Item(GenericPassword(service: "backup", account: "root"))
    try expect(generic("-s", "backup", "-a", "root", "-l", "other").matches(backup))
    try expect(!generic("-s", "backup", "-l", "other").matches(backup))
    try expect(generic("-s", "backup", "-l", "backup").matches(backup))
    try expect(!generic("-s", "backup", "-G", "x").matches(backup))
  }

  @Test("without a security domain, what git and people use comes first")
  func order() throws {
    let docker = Item(
      InternetPassword(protocol: "https", server: "r.example", account: "a", securityDomain: "docker"))
    let git = Item(InternetPassword(protocol: "https", server: "r.example", account: "a"))
    let criteria = try internet("-s", "r.example")
    expect(criteria.found(among: [docker, git], criteria.matches), is: [git, docker])
    let named = try internet("-s", "r.example", "-d", "docker")
    expect(named.found(among: [docker, git], named.matches), is: [docker])
  }

  @Test("a new item has what was said, and https where no protocol was")
  func newItem() throws {
    try expect(
      internet("-s", "h", "-a", "a", "-p", "/x/", "-P", "0", "-t", "dflt").newItem(),
      is: Item(InternetPassword(protocol: "https", server: "h", account: "a", path: "x")))
    try expect(generic("-s", "s", "-a", "").newItem(), is: Item(GenericPassword(service: "s")))
    let full = try internet(
      "-s", "h", "-a", "a", "-r", "ftp ", "-P", "2121", "-d", "x", "-t", "http", "-l", "L", "-j", "J", "-D",
      "K",
      "-c", "abc ", "-C", "note"
    ).newItem()
    expect(
      full,
      is: Item(
        .internetPassword(
          InternetPassword(
            protocol: "ftp", server: "h", port: 2121, account: "a", securityDomain: "x",
            authenticationType: "basic")),
        label: "L", comment: "J", itemDescription: "K", creator: "abc", type: "note"))
  }

  @Test("a code of another length is refused", arguments: ["ftp", "", "https"])
  func codes(text: String) {
    #expect(throws: SecurityFailure.self) { try internet("-r", text) }
  }
}
