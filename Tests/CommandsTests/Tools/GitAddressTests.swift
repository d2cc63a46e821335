import Expectations
import Testing

@testable import Commands

@Suite("addresses of repositories") struct GitAddressTests {
  @Test(
    "git asks no helper for ssh, files and its own protocol",
    arguments: [
      ("https://a.example/b", nil), ("HTTP://a.example", nil), ("x::b", nil), ("imaps://a.example", nil),
      ("ssh://a.example/b", "ssh"), ("git+ssh://a/b", "git+ssh"), ("me@a.example:b/c", "ssh"),
      ("[::1]:b", "ssh"), ("git://a.example/b", "git"), ("file:///srv/b", "file"), ("../b", "file"),
      ("/srv/b:c", "file"), ("ext::ssh a", "ext"),
    ] as [(String, String?)])
  func whyUnasked(address: String, scheme: String?) {
    expect(GitAddress(address).whyUnasked, is: scheme.map { "git asks no helper for \($0): URLs" })
  }

  @Test("a password in the URL is used, and not shown")
  func password() {
    let address = GitAddress("https://alice:s3cret@a.example/b")
    expect(address.whyUnasked, is: "git takes the password from the URL, and asks no helper")
    expect(address.shown, is: "a URL with a password in it")
  }
}
