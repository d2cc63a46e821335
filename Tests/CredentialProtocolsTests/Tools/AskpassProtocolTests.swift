import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("Askpass", .timeLimit(.minutes(60)))
struct AskpassProtocolTests {
  let askpass = ToolUnderTest("askpass")

  /// The answer to a program with this name that has asked nothing before; `nil` for status 1 without output.
  private func ask(_ prompt: String, as program: ByteString? = nil) throws -> String? {
    try ask(prompt, CallerInMemory(program))
  }

  private func ask(_ prompt: String, _ caller: CallerInMemory) throws -> String? {
    let call = try askpass.callInMemory([prompt])
    call.callingProgram = caller
    do throws(KeychainError) {
      try expect(AskpassProtocol.respond(to: call), is: 0)
      return String(decoding: call.output, as: UTF8.self)
    } catch {
      expect(AskpassProtocol.refuse(call.refusal(for: error), call), is: 1)
      expect(call.said.count == 1 && call.output.isEmpty)
      return nil
    }
  }

  @Test("git gets the account and its password", arguments: KeychainUnderTest.all)
  func git(kind: KeychainUnderTest) throws {
    let askpass = ToolUnderTest("askpass", kind)
    try askpass.add(
      InternetPassword(protocol: "https", server: "h.example", port: 8443, account: "a@b"), "pw")
    expect(askpass.call("Username for 'https://h.example:8443': "), is: ToolReply(status: 0, output: "a@b\n"))
    expect(
      askpass.call("Password for 'https://a%40b@h.example:8443': "), is: ToolReply(status: 0, output: "pw\n"))
    expect(askpass.call("Password for 'https://h.example:8443': "), is: ToolReply(status: 0, output: "pw\n"))
    for prompt in [
      "Username for 'https://h.example': ", "Username for 'http://h.example:8443': ",
      "Password for 'https://b@h.example:8443': ", "Password for 'https://a%40b@other.example:8443': ",
    ] {
      expect(askpass.call(prompt), is: ToolReply(status: 1, output: ""))
    }
  }

  @Test("paths count, tools' items don't, and what has no account is passed over")
  func gitsRules() throws {
    func key(_ account: ByteString?, _ path: ByteString? = nil, _ domain: ByteString? = nil)
      -> InternetPassword
    {
      InternetPassword(protocol: "https", server: "h", account: account, path: path, securityDomain: domain)
    }
    try askpass.add(key("all"), "1")
    try askpass.add(key("acme", "acme"), "2")
    try askpass.add(key("docker", nil, "docker"), "3")
    try askpass.add(key(nil), "4")
    try expect(ask("Username for 'https://h/acme/app.git': "), is: "acme\n")
    try expect(ask("Username for 'https://h': "), is: "all\n")
    try expect(ask("Password for 'https://all@h/acme/app.git': "), is: "1\n")
    try expect(ask("Password for 'https://docker@h': "), is: nil)
  }

  @Test("wget doesn't say the port, so one item has to be alone on the host")
  func wget() throws {
    try askpass.add(InternetPassword(protocol: "http", server: "h", port: 8080, account: "a"), "pw")
    try expect(ask("Username for 'http://h': ", as: "wget"), is: "a\n")
    try expect(ask("Password for 'http://a@h': ", as: "wget"), is: "pw\n")
    // It ends where there is no answer at all.
    try expect(ask("Password for 'http://b@h': ", as: "wget"), is: "\n")
    // Git includes the port; without one it means the default port.
    try expect(ask("Username for 'http://h': ", as: "git"), is: nil)
    try expect(ask("Username for 'http://h': "), is: nil)
    try askpass.add(InternetPassword(protocol: "http", server: "h", account: "b"), "other")
    try expect(ask("Username for 'http://h': ", as: "wget"), is: "\n")
    try expect(ask("Password for 'http://a@h': ", as: "wget"), is: "pw\n")
    try expect(ask("Username for 'http://h': ", as: "git"), is: "b\n")
  }

  @Test("wget gets what it would use without llavero, where that has nothing")
  func wgetAlone() throws {
    func ask(_ prompt: String, netrc: String? = nil, _ options: [String: String] = [:]) throws -> String {
      let call = try askpass.callInMemory([prompt])
      call.callingProgram = CallerInMemory("wget", options: options)
      if let netrc { call.files[".netrc"] = netrc }
      try expect(AskpassProtocol.respond(to: call), is: 0)
      return String(decoding: call.output, as: UTF8.self)
    }
    try expect(ask("Username for 'ftp://h': "), is: "anonymous\n")
    try expect(ask("Password for 'ftp://anonymous@h': "), is: "-wget@\n")
    try expect(ask("Password for 'https://@h': "), is: "\n")
    try expect(ask("anything"), is: "\n")
    let netrc = "machine x login a password 1\nmachine h\n login b password 2 default login c password 3"
    try expect(ask("Username for 'https://h': ", netrc: netrc), is: "b\n")
    try expect(ask("Password for 'https://b@h': ", netrc: netrc), is: "2\n")
    try expect(ask("Password for 'https://z@h': ", netrc: netrc), is: "\n")
    try expect(ask("Username for 'https://other': ", netrc: netrc), is: "c\n")
    try expect(ask("Username for 'https://h': ", netrc: "machine h login"), is: "\n")
    // The command line comes before the keychain.
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    try expect(ask("Username for 'https://h': ", ["--user": "u", "--http-user": "v"]), is: "u\n")
    try expect(ask("Password for 'https://u@h': ", ["--user": "u", "--password": "w"]), is: "w\n")
    try expect(ask("Password for 'https://u@h': ", ["--user": "u"]), is: "\n")
    try expect(ask("Username for 'https://h': "), is: "a\n")
  }

  @Test("wget's questions go to the askpass that it had before, and not to ssh's")
  func wgetsFormer() throws {
    func asked(_ files: [String: String], _ environment: [String: String] = [:]) throws -> [ByteString] {
      var askpass = askpass
      askpass.environment = environment
      let call = try askpass.callInMemory(["Username for 'https://h': "])
      call.callingProgram = CallerInMemory("wget")
      call.files = files
      try expect(AskpassProtocol.respond(to: call), is: 0)
      return call.became
    }
    let own = "use_askpass = /b/llavero-askpass\n"
    let question: ByteString = "Username for 'https://h': "
    let both = "# use_askpass = /no\nquiet\nUSE-ASKPASS =  /bin/ask \r\n" + own
    try expect(asked([".wgetrc": both]), is: ["/bin/ask", question])
    try expect(asked([".wgetrc": own, "/etc/wgetrc": "use_askpass=/x"]), is: ["/x", question])
    try expect(asked(["/w": both], ["WGETRC": "/w"]), is: ["/bin/ask", question])
    try expect(asked([".wgetrc": own], ["LLAVERO_ASKPASS_FALLBACK": "/ssh's"]), is: [])
    try expect(asked([".wgetrc": both], ["LLAVERO_ASKPASS_FALLBACK": ""]), is: [])
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    try expect(asked([".wgetrc": both]), is: [])
  }

  @Test("what the keychain can't answer goes to a window, or to the terminal, and no further")
  func handedOver() throws {
    func hand(
      _ prompt: String, as program: ByteString?, window: ByteString? = nil, typed: String? = nil,
      _ environment: [String: String] = [:]
    ) throws -> (output: String, became: [ByteString], shown: [Bool]) {
      var askpass = askpass
      askpass.environment = environment
      let call = try askpass.callInMemory([prompt])
      call.callingProgram = CallerInMemory(program)
      (call.askingProgram, call.typed) = (window, typed)
      do throws(KeychainError) { _ = try AskpassProtocol.respond(to: call) } catch {}
      return (String(decoding: call.output, as: UTF8.self), call.became, call.shown.map(\.isAnswerShown))
    }
    let password = "a@h's password: "
    let host = "Are you sure you want to continue connecting (yes/no/[fingerprint])? "
    try expect(hand(password, as: "ssh", typed: "pw") == ("pw\n", [], [false]))
    try expect(hand(host, as: "ssh", typed: "yes") == ("yes\n", [], [true]))
    try expect(hand(password, as: "ssh", window: "/w").became, is: ["/w", ByteString(password)])
    let confirm = ["SSH_ASKPASS_PROMPT": "confirm"]
    try expect(hand("Allow?", as: "ssh-agent", typed: "yes", confirm).output, is: "yes\n")
    try expect(hand("Allow?", as: "ssh-agent", typed: "no", confirm).output, is: "")
    try expect(hand("Touch!", as: "ssh", typed: "", ["SSH_ASKPASS_PROMPT": "none"]).shown, is: [true])
    // git asks on the terminal by itself.
    let git = "Password for 'https://a@h': "
    try expect(hand(git, as: "git-remote-http", window: "/w", typed: "pw") == ("", [], []))
    try expect(hand(git, as: nil, typed: "pw") == ("", [], []))
    try expect(hand(git, as: "git-remote-http", window: "/w").became, is: ["/w", ByteString(git)])
    for variable in [["LLAVERO_ASKPASS_FALLBACK": ""], ["LLAVERO_ASKING": "1"]] {
      try expect(hand(password, as: "ssh", window: "/w", typed: "pw", variable) == ("", [], []))
    }
    let both = try hand(password, as: "ssh", window: "/w", ["LLAVERO_ASKPASS_FALLBACK": "/f"])
    expect(both.became, is: ["/w", ByteString(password)])
  }

  @Test("ssh gets a password for the account and host")
  func ssh() throws {
    try askpass.add(InternetPassword(protocol: "ssh", server: "h.example", account: "a@ad"), "pw")
    try expect(ask("a@ad@H.example's password: ", as: "ssh"), is: "pw\n")
    try expect(ask("(a@ad@h.example) Password: "), is: "pw\n")
    try expect(ask("(a@ad@h.example) Password:"), is: "pw\n")
    try expect(ask("b@h.example's password: "), is: nil)
    try expect(ask("a@ad@other.example's password: "), is: nil)
    // ssh doesn't include the port either.
    try askpass.add(
      InternetPassword(protocol: "ssh", server: "h.example", port: 2222, account: "a@ad"), "pw2")
    try expect(ask("a@ad@h.example's password: "), is: nil)
  }

  @Test("a key's passphrase is that of its file, whichever way that is named")
  func keys() throws {
    try askpass.add(service: "ssh-key:/home/a/.ssh/id", "pw")
    try askpass.add(service: "ssh-key:/home/alice/k", "relative")
    try askpass.add(service: "ssh-key:/real/key", "real")
    for prompt in [
      "Enter passphrase for key '/home/a/.ssh/id': ", "Enter passphrase for /home/a/.ssh/id: ",
      "Enter passphrase for \"/home/a/.ssh/id\": ",
      "Enter passphrase for /home/a/.ssh/id (will confirm each use): ",
    ] {
      try expect(ask(prompt, as: "ssh-add"), is: "pw\n", "\(prompt)")
    }
    try expect(ask("Enter passphrase for k: "), is: "relative\n")
    try expect(ask("Enter passphrase for other: "), is: "real\n")
    try expect(ask("Enter passphrase for /home/a/.ssh/other: "), is: nil)
    let long = String(repeating: "x", count: 99)
    try askpass.add(service: ByteString("ssh-key:/\(long)"), "cut off")
    try expect(ask("Enter passphrase for key '/\(long)': "), is: nil)
  }

  @Test("sudo gets the user's own password")
  func sudo() throws {
    try askpass.add(service: "sudo", account: "alice", "pw")
    try expect(ask("[sudo] password for alice: ", as: "sudo"), is: "pw\n")
    try expect(ask("[sudo] password for root: "), is: nil)
  }

  @Test(
    "a question that isn't known to the last byte is for a person",
    arguments: [
      "", "Password: ", "Enter passphrase: ", "Enter passphrase (empty for no passphrase): ",
      "Enter passphrase for \"/k\" (empty for no passphrase): ", "Enter same passphrase again: ",
      "Bad passphrase, try again for /k: ", "Enter passphrase for PKCS#11: ",
      "Enter PIN for ED25519-SK key /k: ",
      "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
      "Allow use of key k?\nKey fingerprint x.",
      "Enter a@h's new password: ", "Retype a@h's new password: ", "(a@h) Verification code: ",
      "(a@h) Password for 'https://h': ", "x (a@h) Password: ", "@h's password: ", "a@'s password: ",
      "Username for 'https://a@h': ", "Username for 'https://h':", "Username for 'https://h': x",
      "Username for 'h': ", "Username for '': ", "Password for 'https://h\n': ",
      "Password for 'https://h%0a': ",
      "Password for 'https://a@h", "[sudo] Passwort für a: ", " [sudo] password for a: ",
      "Passphrase of the keychain /home/a/.local/share/llavero/vault.age: ",
    ])
  func unknown(prompt: String) throws {
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    try askpass.add(InternetPassword(protocol: "ssh", server: "h", account: "a"), "pw")
    try askpass.add(service: "ssh-key:/k", "pw")
    try askpass.add(service: "ssh-key:/real/key", "pw")
    try askpass.add(service: "sudo", account: "a", "pw")
    try expect(ask(prompt), is: nil)
  }

  @Test(
    "where ssh wants a yes or no, or shows something, it gets nothing",
    arguments: ["confirm", "none", "later"])
  func confirmation(kind: String) throws {
    var askpass = askpass
    try askpass.add(service: "ssh-key:/k", "pw")
    expect(askpass.call("Enter passphrase for /k: ").status, is: 0)
    askpass.environment = ["SSH_ASKPASS_PROMPT": kind]
    expect(askpass.call("Enter passphrase for /k: "), is: ToolReply(status: 1, output: ""))
  }

  @Test("no program gets the answer to another's question, whoever has worded it")
  func families() throws {
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    try askpass.add(InternetPassword(protocol: "ssh", server: "h", account: "a"), "ssh")
    try askpass.add(service: "sudo", account: "a", "sudo")
    let prompts = ["Password for 'https://a@h': ", "a@h's password: ", "[sudo] password for a: "]
    for (index, programs) in [["git", "git-remote-http"], ["ssh", "ssh-add"], ["sudo"]].enumerated() {
      for program in programs {
        for (other, prompt) in prompts.enumerated() {
          try expect(
            ask(prompt, as: ByteString(program)) != nil, is: other == index, "\(program) \(prompt)")
        }
      }
    }
    for prompt in prompts { try expect(ask(prompt, as: "sh") != nil) }
  }

  @Test(
    "a URL whose host can be taken for another is nobody's",
    arguments: [
      "https://h/@evil.example", "https://h/x@evil.example", "https://h?@evil.example",
      "https://h#@evil.example",
      "https://a@h@evil.example", "https://a@h/@evil.example", "a@https://h",
    ])
  func ambiguous(url: String) throws {
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    try expect(ask("Password for '\(url)': "), is: nil)
    try expect(ask("Username for '\(url)': "), is: nil)
    try expect(ask("Password for '\(url)': ", as: "wget"), is: "\n")
  }

  @Test("a process gets an answer once, and each question has its own")
  func once() throws {
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    let git = CallerInMemory("git-remote-http")
    try expect(ask("Username for 'https://h': ", git), is: "a\n")
    try expect(ask("Password for 'https://a@h': ", git), is: "pw\n")
    try expect(ask("Password for 'https://a@h': ", git), is: nil)
    try expect(ask("Username for 'https://h': ", git), is: nil)
    try expect(ask("Password for 'https://a@h': ", as: "git-remote-http"), is: "pw\n")
    // A question without an answer may get one the next time.
    try expect(ask("Password for 'https://a@g': ", git), is: nil)
    try askpass.add(InternetPassword(protocol: "https", server: "g", account: "a"), "later")
    try expect(ask("Password for 'https://a@g': ", git), is: "later\n")
  }

  @Test("the fallback gets what the keychain has no answer for, with the same question")
  func fallback() throws {
    var askpass = askpass
    try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), "pw")
    func became(_ arguments: [String], failing: KeychainError? = nil) throws -> [ByteString] {
      let call = try askpass.callInMemory(arguments, failing: failing)
      expect(try? AskpassProtocol.respond(to: call), is: call.became.isEmpty ? 0 : nil)
      expect(call.output.isEmpty != call.became.isEmpty)
      expect(call.said.count, is: failing == nil ? 0 : 1)
      return call.became
    }
    for prompt in ["Are you sure? ", "Username for 'https://g': "] {
      try expect(became(["--fallback", "ask", prompt]), is: ["ask", ByteString(prompt)])
    }
    try expect(became(["--fallback", "ask", "Username for 'https://h': "]), is: [])
    askpass.environment = ["LLAVERO_ASKPASS_FALLBACK": "other"]
    try expect(became(["Are you sure? "]), is: ["other", "Are you sure? "])
    try expect(
      became(["Username for 'https://h': "], failing: .locked(path: "/x")),
      is: ["other", "Username for 'https://h': "])
    askpass.environment["SSH_ASKPASS_PROMPT"] = "confirm"
    try expect(became(["Username for 'https://h': "]), is: ["other", "Username for 'https://h': "])
  }

  @Test("an answer of more than one line is none")
  func unspeakable() throws {
    for secret in ["a\nb", "a\rb", "a\0b"] {
      let askpass = ToolUnderTest("askpass")
      try askpass.add(InternetPassword(protocol: "https", server: "h", account: "a"), secret)
      expect(askpass.call("Password for 'https://a@h': "), is: ToolReply(status: 2, output: ""))
    }
  }

  @Test("a call without one question is wrong")
  func calls() {
    expect(askpass.call(), is: ToolReply(status: 64, output: ""))
    expect(askpass.call("a", "b"), is: ToolReply(status: 64, output: ""))
  }

  @Test("prompts at random get no answer that isn't for them")
  func random() throws {
    try askpass.add(InternetPassword(protocol: "https", server: "h.example", account: "a"), "pw")
    try askpass.add(InternetPassword(protocol: "ssh", server: "h.example", account: "a"), "pw")
    var random = SeededGenerator(seed: 11)
    let seeds = [
      "Password for 'https://a@h.example': ", "a@h.example's password: ", "(a@h.example) Password: ",
    ]
    let dictionary = ["@", "'", "': ", "/", "%", "evil.", ".evil", "\n", ":443", "#", "?"].map {
      Array($0.utf8)
    }
    var answered = 0
    for _ in 0..<rounds(3000) {
      let prompt = String(
        decoding: random.mutated(Array(random.pick(seeds).utf8), dictionary: dictionary), as: UTF8.self)
      if try ask(prompt) == nil { continue }
      answered += 1
      let isForIt =
        ["@h.example", "://h.example", "@h.example:443"].contains { prompt.lowercased().contains($0) }
        && !prompt.contains("h.example.") && !prompt.contains("\n")
      expect(isForIt, "\(prompt)")
    }
    expect(answered > 0)
  }
}
