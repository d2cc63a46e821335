import Expectations
import Testing

/// Typical programs for Keychain Services, each run in a separate process on each keychain.
@Suite struct ProgramTests {
  typealias Keychain = ProgramHome.Keychain

  @Test(
    "an internet password is added for server and account, and found back with its account",
    arguments: Keychain.allCases)
  func internetPassword(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    try await expect(
      home.run("security-programs find-internet-password example.com"),
      is: .init(errors: "noPassword\n", status: 1))
    try await expect(
      home.output(
        of: "security-programs add-internet-password example.com alice", input: "s3cret\n"), is: "added\n")
    try await expect(
      home.output(of: "security-programs find-internet-password example.com"),
      is: "account: alice\npassword: s3cret\n")
    try await expect(
      home.run("security-programs add-internet-password example.com alice", input: "other\n"),
      is: .init(errors: "unhandledError(status: -25299)\n", status: 1))
    try await expect(
      home.output(of: "security-programs find-internet-password example.com"),
      is: "account: alice\npassword: s3cret\n")
    try await expect(
      home.output(
        of: "security-programs add-internet-password example.org 'Jörg Ødegård' team/repo",
        input: "geheim: ünïcode 🔑\n"), is: "added\n")
    try await expect(
      home.output(of: "security-programs find-internet-password example.org"),
      is: "account: Jörg Ødegård\npassword: geheim: ünïcode 🔑\npath: team/repo\n")
    try await expect(
      home.output(of: "security-programs list-accounts example.com"), is: "htps alice s3cret\n")
  }

  @Test(
    "a generic password is found, updated, renamed and deleted by service and account",
    arguments: Keychain.allCases)
  func genericPassword(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    let program = "security-programs generic-password"
    try await expect(home.output(of: "\(program) read com.example.app alice"), is: "none\n")
    try await expect(home.output(of: "\(program) save com.example.app alice", input: "one\n"), is: "saved\n")
    try await expect(home.output(of: "\(program) save com.example.app bob", input: "two\n"), is: "saved\n")
    try await expect(
      home.output(of: "\(program) save com.example.other alice", input: "three\n"), is: "saved\n")
    try await expect(home.output(of: "\(program) read com.example.app alice"), is: "one\n")
    try await expect(
      home.output(of: "\(program) save com.example.app alice", input: "newer\n"), is: "saved\n")
    try await expect(home.output(of: "\(program) read com.example.app alice"), is: "newer\n")
    try await expect(home.output(of: "\(program) rename com.example.app alice carol"), is: "now carol\n")
    try await expect(home.output(of: "\(program) accounts com.example.app"), is: "bob\ncarol\n")
    try await expect(home.output(of: "\(program) read com.example.app carol"), is: "newer\n")
    try await expect(
      home.run("\(program) rename com.example.app carol bob"),
      is: .init(errors: "unhandledError(-25299)\n", status: 1))
    try await expect(home.output(of: "\(program) delete com.example.app carol"), is: "deleted\n")
    try await expect(home.output(of: "\(program) delete com.example.app carol"), is: "deleted\n")
    try await expect(home.output(of: "\(program) accounts com.example.app"), is: "bob\n")
    try await expect(home.output(of: "\(program) read com.example.other alice"), is: "three\n")
  }

  @Test("a program adds to a keychain that it names, and looks in those that it names, or in all of the list")
  func searchList() async throws {
    let home = ProgramHome(.file)
    // The list counts where no keychain is named.
    let program = "LLAVERO_KEYCHAIN= security-programs in-keychain"
    _ = try await home.output(of: "\(program) add svc own file", input: "first\n")
    _ = try await home.run("llavero keychain add work file $HOME/work --create")
    _ = try await home.output(of: "\(program) add svc other work", input: "second\n")
    try await expect(home.output(of: "\(program) find svc other"), is: "second\n")
    try await expect(home.output(of: "\(program) find svc other work"), is: "second\n")
    try await expect(home.output(of: "\(program) find svc other file work"), is: "second\n")
    try await expect(home.output(of: "\(program) find svc own"), is: "first\n")
    try await expect(home.run("\(program) find svc other file").errors.contains("-25300"))
    try await expect(home.run("\(program) find svc other nowhere").errors.contains("-25294"))
    _ = try await home.output(of: "\(program) delete svc other work")
    try await expect(home.run("\(program) find svc other").errors.contains("-25300"))
  }

  @Test("a keychain that is missing is no empty one, and none is made in its place")
  func missing() async throws {
    let home = ProgramHome(.file)
    let program = "security-programs generic-password"
    try await expect(home.output(of: "\(program) save com.example.app alice", input: "one\n"), is: "saved\n")
    _ = try await home.output(of: "mv .local/share/llavero away")
    // errSecNoSuchKeychain
    let refusal = ProgramHome.Outcome(errors: "unhandledError(-25294)\n", status: 1)
    try await expect(home.run("\(program) read com.example.app alice"), is: refusal)
    try await expect(home.run("\(program) save com.example.app alice", input: "two\n"), is: refusal)
    try await expect(home.run("\(program) delete com.example.app alice"), is: refusal)
    try await expect(home.run("\(program) accounts com.example.app"), is: refusal)
    try await expect(home.output(of: "ls .local/share; mv away .local/share/llavero"), is: "")
    try await expect(home.output(of: "\(program) read com.example.app alice"), is: "one\n")
  }

  @Test("a label is a search key", arguments: Keychain.allCases)
  func label(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    for (label, server) in [("Work", "b.example"), ("Work", "a.example"), ("Private", "c.example")] {
      let output = try await home.output(
        of: "security-programs store-with-label '\(label)' \(server) alice", input: "of \(server)\n")
      let lines = output.split(separator: "\n")
      expect(
        lines.count == 2 && lines[0].hasPrefix("reference: ") && lines[1] == "label: \(label)", "\(output)")
    }
    try await expect(
      home.output(of: "security-programs find-by-label Work"),
      is: "a.example:8443 alice of a.example\nb.example:8443 alice of b.example\n")
    try await expect(
      home.run("security-programs find-by-label Wor"),
      is: .init(errors: "The specified item could not be found in the keychain. (-25300)\n", status: 1))
  }

  @Test("an item survives the program's reinstallation", arguments: Keychain.allCases)
  func reinstallation(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    let program = "installation-identifier com.example.app"
    let copy = "cp \"$(command -v security-programs)\""
    let first = try await home.output(of: "mkdir one; \(copy) one/example; one/example \(program); rm -r one")
    expect(first.hasPrefix("new: "))
    let second = try await home.output(
      of: "mkdir -p two/later; \(copy) two/later/renamed; two/later/renamed \(program)")
    expect(second, is: first.replacing("new: ", with: "known: "))
  }

  @Test("tasks use the keychain at the same time", arguments: Keychain.allCases)
  func session(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    let accounts = (1...12).map { "user\($0)" }
    let expected = accounts.map { "\($0): secret of \($0)\n" }.joined() + "count: 12\n"
    for _ in 1...2 {
      try await expect(
        home.output(
          of: "security-programs session com.example.app \(accounts.joined(separator: " "))"), is: expected)
    }
  }

  @Test("processes use the keychain at the same time", arguments: Keychain.allCases)
  func processes(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    let outputs = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 1...6 {
        group.addTask {
          try await home.output(of: "security-programs session com.example.app common user\(number)")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    expect(outputs.count, is: 6)
    try await expect(
      home.output(of: "security-programs generic-password accounts com.example.app"),
      is: (["common"] + (1...6).map { "user\($0)" }).map { "\($0)\n" }.joined())
  }

  @Test("what is locked is an error or is left out where nobody may be asked", arguments: Keychain.allCases)
  func locked(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    let program = "security-programs find-without-asking com.example.app alice"
    try await expect(home.output(of: program), is: "fail: -25300\nskip: -25300\n")
    _ = try await home.output(
      of: "security-programs generic-password save com.example.app alice", input: "s3cret\n")
    try await expect(home.output(of: program), is: "fail: 0 s3cret\nskip: 0 s3cret\n")
    try await home.lock()
    try await expect(home.output(of: program), is: "fail: -25308\nskip: -25300\n")
  }

  @Test("a program asks for an encrypted file's passphrase by itself")
  func passphrase() async throws {
    let home = ProgramHome(.file)
    _ = try await home.output(
      of: "security-programs generic-password save com.example.app alice", input: "s3cret\n")
    let program = "security-programs ask-for-passphrase com.example.app alice"
    try await expect(home.output(of: program), is: "fail: 0\nallow: 0 s3cret\n")
    try await home.lock()
    // One that doesn't ask.
    try await expect(
      home.run("security-programs generic-password read com.example.app alice"),
      is: .init(errors: "unhandledError(-25308)\n", status: 1))
    try await expect(
      home.output(of: program, input: "correct horse\n"), is: "fail: -25308\nasked\nallow: 0 s3cret\n"
    )
    try await expect(home.output(of: program), is: "fail: -25308\nasked\nallow: -128\n")
    try await expect(
      home.output(of: program, input: "wrong\ncorrect horse\n"),
      is: "fail: -25308\nasked\nasked\nallow: 0 s3cret\n")
    try await expect(
      home.output(of: program, input: "wrong\nwrong\nwrong\nwrong\nwrong\n"),
      is: "fail: -25308\nasked\nasked\nasked\nallow: -25293\n")
  }

  @Test("the command and git see what a program has added", arguments: Keychain.allCases)
  func seenFromOutside(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    _ = try await home.output(
      of: "security-programs add-internet-password example.com alice", input: "s3cret\n")
    try await expect(home.output(of: "llavero get https://example.com"), is: "s3cret\n")
    let list = try await home.output(of: "llavero list --json")
    expect(list.contains(#""server":"example.com""#) && list.contains(#""protocol":"https""#), "\(list)")
    expect(list.contains(#""account":"alice""#), "\(list)")
    try await expect(
      home.output(
        of: "git -c credential.helper=llavero credential fill", input: "protocol=https\nhost=example.com\n\n"),
      is: "protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n")
    _ = try await home.output(
      of: "security-programs generic-password save com.example.app bob", input: "generic\n")
    try await expect(home.output(of: "llavero get --service com.example.app --account bob"), is: "generic\n")
  }

  @Test("a program finds what git has stored", arguments: Keychain.allCases)
  func storedByGit(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    _ = try await home.output(
      of: "git -c credential.helper=llavero credential approve",
      input: "protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n\n")
    try await expect(
      home.output(of: "security-programs find-internet-password example.com"),
      is: "account: alice\npassword: s3cret\n")
    try await expect(
      home.output(of: "security-programs list-accounts example.com"), is: "htps alice s3cret\n")
  }

  @Test("a certificate is found by its label and by its serial number", arguments: Keychain.allCases)
  func certificate(_ keychain: Keychain) async throws {
    let home = ProgramHome(keychain)
    _ = try await home.output(of: "base64 -d >certificate.der", input: certificateText)
    try await expect(
      home.output(of: "security-programs certificate 'example.com of the test' certificate.der"),
      is: "add: 0\nserial: 123456789abcdef0\ndata: equal\n")
    try await expect(
      home.output(of: "security-programs certificate 'example.com of the test' certificate.der"),
      is: "add: duplicate\nserial: 123456789abcdef0\ndata: equal\n")
  }
}
