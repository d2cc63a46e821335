import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("the bus's address") struct BusAddressTests {
  @Test(
    "the unix sockets are told from everything else",
    arguments: [
      ("unix:path=/run/user/1000/bus", ["path /run/user/1000/bus"]),
      ("unix:path=/tmp/b,guid=0123", ["path /tmp/b"]), ("unix:guid=0123,path=/tmp/b", ["path /tmp/b"]),
      ("unix:abstract=/tmp/dbus-x", ["abstract /tmp/dbus-x"]),
      ("unix:path=/a%20b%2c%3B%25c", ["path /a b,;%c"]), ("unix:path=/caf%C3%A9", ["path /caf\u{e9}"]),
      ("unix:path=/a;unix:path=/b", ["path /a", "path /b"]),
      ("tcp:host=localhost,port=1;unix:path=/b;unixexec:path=/bin/sh", ["path /b"]),
      ("unix:path=/a;;unix:abstract=b;", ["path /a", "abstract b"]),
      ("tcp:host=localhost,port=1", []), ("nonce-tcp:host=localhost,port=1,noncefile=/n", []),
      ("unixexec:path=/bin/sh", []), ("autolaunch:", []), ("systemd:", []), ("launchd:env=X", []),
      ("unix:", []), ("unix:path=", []), ("unix:path=%", []), ("unix:path=/a%2", []), ("unix:path=/a%zz", []),
      ("unix:path=/a%+1", []), ("unix:path=/a%00b", []), ("unix:path=/a%ff", []), ("unix:tmpdir=/tmp", []),
      ("unix:runtime=yes", []),
      ("unix", []), ("UNIX:path=/a", []), ("/run/user/1000/bus", []), ("nonsense", []), (" ", []), (";", []),
      ("\u{0}", []), ("unix:path=/a\u{0}b", []),
    ] as [(String, [String])])
  func sockets(text: String, expected: [String]) throws {
    let sockets = try BusAddress.find(text).sockets.map { socket in
      switch socket {
      case .path(let path): "path \(path)"
      case .abstract(let name): "abstract \(name)"
      }
    }
    expect(sockets, is: expected)
  }

  @Test("any text is an address or none")
  func fuzz() throws {
    var numbers = SeededGenerator(seed: 5)
    let words = ["unix:", "path=", "abstract=", "%", "%41", ";", ",", "=", "tcp:"].map { Array($0.utf8) }
    for _ in 0..<5000 {
      let bytes = numbers.mutated(Array("unix:path=/a%20b,guid=1".utf8), dictionary: words)
      let address = BusAddress(text: String(decoding: bytes, as: UTF8.self), isFromEnvironment: true)
      for socket in address.sockets {
        switch socket {
        case .path(let name), .abstract(let name): expect(!name.isEmpty && !name.utf8.contains(0))
        }
      }
    }
  }
}

@Suite("a connection to the bus", .timeLimit(.minutes(60))) struct BusConnectionTests {
  /// Connects, and closes the connection if there is one.
  private static func connect(_ text: String, patience: Int = 20_000) -> BusFailure? {
    do {
      close(try BusHandshake.connect(to: try BusAddress.find(text), patience: patience))
      return nil
    } catch {
      return error as? BusFailure
    }
  }

  private static func detail(_ failure: BusFailure?) -> String? {
    if case .absent(let detail)? = failure?.reason { return detail }
    return nil
  }

  @Test("who asks is named, all at once, and what follows the answer is left for the connection")
  func succeeds() throws {
    let bus = ScriptedBus([.read, .send("OK 0123456789abcdef\r\nmore"), .wait])
    let descriptor = try BusHandshake.connect(to: try BusAddress.find(bus.address), patience: 20_000)
    defer { close(descriptor) }
    let uid = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
    expect(bus.request, is: [0] + Array("AUTH EXTERNAL \(uid)\r\nBEGIN\r\n".utf8))
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    expect(Glibc.poll(&poll, 1, 20_000), is: 1)
    var rest = [UInt8](repeating: 0, count: 10)
    expect(read(descriptor, &rest, 10), is: 4)
    expect(rest[..<4], is: Array("more".utf8)[...])
  }

  @Test(
    "another answer than OK lets nobody in",
    arguments: [
      "REJECTED EXTERNAL DBUS_COOKIE_SHA1\r\n", "ERROR\r\n", "ok\r\n", "\r\n", "\u{0}\n", "l\u{2}\n",
    ])
  func rejects(answer: String) {
    let bus = ScriptedBus([.read, .send(answer), .wait])
    expect(
      Self.detail(Self.connect(bus.address)),
      is: "cannot connect to the session bus \(bus.address): it doesn't let this user in")
  }

  @Test("a bus that hangs up is told so", arguments: [nil, "OK", "REJECTED"])
  func hangsUp(answer: String?) {
    let bus = ScriptedBus([.read] + (answer.map { [.send($0)] } ?? []))
    expect(
      Self.detail(Self.connect(bus.address)),
      is: "cannot connect to the session bus \(bus.address): it hung up")
  }

  @Test("a bus that never ends its line is given up")
  func floods() {
    let bus = ScriptedBus([.read, .flood(UInt8(ascii: "x"))])
    expect(
      Self.detail(Self.connect(bus.address))?.hasPrefix("cannot connect to the session bus \(bus.address): "),
      is: true)
  }

  @Test(
    "a bus that says nothing, or too slowly, has its time and no more",
    arguments: [nil, [], [.read, .wait], [.wait], [.send("OK"), .wait], [.drip(UInt8(ascii: "O"))]]
      as [[ScriptedBus.Step]?])
  func silence(steps: [ScriptedBus.Step]?) {
    // Without steps a connection is never accepted; with an empty list it is closed at once.
    let bus = ScriptedBus(steps)
    let start = ContinuousClock.now
    let isClosed = steps?.isEmpty == true
    let failure = Self.connect(bus.address, patience: isClosed ? 20_000 : 300)
    let taken = ContinuousClock.now - start
    if isClosed {
      expect(Self.detail(failure) != nil)
    } else {
      guard case .noAnswer(milliseconds: 300)? = failure?.reason else {
        Issue.record("\(String(describing: failure))")
        return
      }
      expect(failure?.call, is: "AUTH")
      expect(taken >= .milliseconds(290))
    }
    expect(taken < .seconds(30))
  }

  @Test("an address without a unix socket is told so", arguments: ["tcp:host=localhost,port=1", "nonsense"])
  func noSocket(text: String) {
    expect(Self.detail(Self.connect(text)), is: "the bus address '\(text)' names no unix socket")
  }

  @Test("where nobody listens, the reason is told")
  func nobody() {
    let folder = TemporaryFolder()
    folder.write([], to: "file")
    for (name, reason) in [
      ("nothing", "no such file or directory"), ("file", "connection refused"),
      ("file/in", "not a directory"), (String(repeating: "x", count: 200), "file name too long"),
    ] {
      let text = "unix:path=" + folder[name]
      expect(Self.detail(Self.connect(text)), is: "cannot connect to the session bus \(text): \(reason)")
    }
  }

  @Test("of several addresses the first one is used where somebody listens")
  func alternatives() {
    let folder = TemporaryFolder()
    let bus = ScriptedBus([.read, .send("OK 1\r\n"), .wait])
    expect(Self.connect("unix:path=\(folder["no"]);tcp:host=x,port=1;\(bus.address)") == nil)
    expect(!bus.request.isEmpty)
  }

  // Only root can also act as another user.
  @Test("the bus of another user is refused before anything is said", .enabled(if: geteuid() == 0))
  func anotherUser() throws {
    let folder = TemporaryFolder()
    chmod(folder.path, 0o777)
    let program = try Program(
      [
        "setpriv", "--reuid=65534", "--clear-groups", "dbus-daemon", "--session", "--nofork",
        "--address=unix:path=\(folder["bus"])",
      ])
    defer { program.end() }
    let text = "unix:path=" + folder["bus"]
    try waitUntil { access(folder["bus"], F_OK) == 0 }
    var detail: String?
    // Between bind and listen connections are refused.
    try waitUntil {
      detail = Self.detail(Self.connect(text))
      return detail?.hasSuffix("connection refused") == false
    }
    expect(detail, is: "the session bus \(text) is that of another user (uid 65534)")
    let given = ScriptedBus([.read, .send("OK 1\r\n"), .wait])
    chown(given.path, 65534, 65534)
    expect(
      Self.detail(Self.connect(given.address)),
      is: "the session bus \(given.address) is that of another user (uid 65534)")
    expect(given.request.isEmpty)
  }

  // MARK: The whole keychain

  private static func open(_ bus: ScriptedBus, _ probe: Int) -> (error: KeychainError?, time: Duration) {
    var settings = DesktopKeychainSettings()
    settings.busAddress = bus.address
    settings.mayPrompt = false
    settings.probeTimeout = probe
    settings.callTimeout = probe
    let start = ContinuousClock.now
    let error = failure { try SecretServiceKeychain(settings) }
    return (error, .now - start)
  }

  @Test("a bus that falls silent after the handshake has its time and no more")
  func silentBus() {
    let bus = ScriptedBus([.read, .send("OK 1\r\n"), .wait])
    let (error, time) = Self.open(bus, 4000)
    expect(error, is: .noAnswer(call: "Hello", milliseconds: 4000))
    expect(time < .seconds(19))
  }

  @Test(
    "a bus that is none is an error, and no answer",
    arguments: [[], [.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .wait], [.flood(0x6c)]]
      as [[ScriptedBus.Step]])
  func brokenBus(steps: [ScriptedBus.Step]) {
    let (error, time) = Self.open(ScriptedBus([.read, .send("OK 1\r\n")] + steps), 20_000)
    guard case .unavailable(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(reason.hasPrefix("the session bus failed at Hello: "))
    expect(time < .seconds(19))
  }
}
