import Expectations
import Testing

@testable import Commands

@Suite("What git says")
struct MessagesTests {
  @Test(
    "a failure is told by what git says of it",
    arguments: [
      ("Host key verification failed.\nfatal: Could not read from remote repository.", "hostKey"),
      ("fatal: Authentication failed for 'http://127.0.0.1:1/x/'", "loginRefused"),
      ("fatal: could not read Username for 'http://h': terminal prompts disabled", "loginRefused"),
      ("git@h: Permission denied (publickey).\nfatal: Could not read from remote", "loginRefused"),
      (
        "fatal: unable to access 'http://127.0.0.1:1/x/': Failed to connect to 127.0.0.1 port 1",
        "unreachable"
      ),
      ("fatal: '/nowhere' does not appear to be a git repository\nfatal: Could not read", "noRepository"),
      ("fatal: repository 'http://127.0.0.1:1/x/' not found", "noRepository"),
      ("fatal: bad object 1234", "failed"),
    ])
  func kinds(said: String, kind: String) {
    let fault = SharingFault("fetch", status: 128, said: said, isPush: false)
    expect("\(fault)".hasPrefix(kind))
  }

  @Test("a repository that may only be read refuses a push, and no login")
  func readOnly() {
    let said = "fatal: unable to access 'http://127.0.0.1:1/x/': The requested URL returned error: 403"
    let fault = SharingFault("push", status: 128, said: said, isPush: true)
    expect(fault, is: .refused(said: SharingFault.line(of: said)))
    guard case .loginRefused = SharingFault("fetch", status: 128, said: said, isPush: false) else {
      Issue.record("it isn't refused")
      return
    }
  }

  @Test("the line that says most is shown, and no more than 300 bytes of it")
  func line() {
    expect(SharingFault.line(of: "warning: x\nfatal: y\nz\n"), is: "y")
    expect(SharingFault.line(of: ""), is: "")
    expect(SharingFault.line(of: "fatal: " + String(repeating: "x", count: 1000)).utf8.count, is: 300)
    let remote = "remote: this branch is protected   \nremote: x"
    expect(SharingFault.remoteLine(of: remote), is: "this branch is protected")
  }

  @Test("a lock that is in the way is named")
  func lock() {
    let said = """
      remote: error: cannot lock ref 'refs/heads/main': Unable to create '/x.git/./refs/heads/main.lock': File exists.
      remote: Another git process seems to be running in this repository, e.g.
      """
    expect(SharingFault.lock(in: said), is: "/x.git/refs/heads/main.lock")
    for other in [
      "", "'", "''", "error: cannot lock ref 'refs/heads/main': is at 1 but expected 2",
      "Unable to create '/srv/x.git/main.lock': Permission denied",
      "Unable to create '/a/../b.lock': File exists", "Unable to create '/home/x': File exists",
    ] {
      expect(SharingFault.lock(in: other), is: nil, "\(other)")
    }
  }

  @Test("objects are read whole, and one that is missing is empty")
  func batch() {
    let text = Array("aa blob 3\na\nb\nbb missing\ncc blob 0\n\n".utf8)
    let found = text.withUnsafeBytes { SharedRepository.batch($0) }
    expect(found, is: [Array("a\nb".utf8), [], []])
  }

  @Test("an answer that was cut off ends nothing", arguments: 0..<30)
  func cutOff(count: Int) {
    let text = Array("aa blob 3\na\nb\ncc blob 99999999999999999999\n".utf8.prefix(count))
    _ = text.withUnsafeBytes { SharedRepository.batch($0) }
  }
}
