import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import DefaultKeychain

@Suite("the user's keychain in a program", .timeLimit(.minutes(60))) struct ProcessTests {
  /// State of the whole process, or of the thread that uses the keychain.
  private struct State: Hashable {
    let mask: String
    let locale: String
    let core: [rlim_t]
    let actions: [Int]
    let folder: String
    /// Read without setting it, which umask(2) would do, because other tests run meanwhile.
    let umask: Substring?

    init() {
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &blocked)
      mask = (1..<65).map { sigismember(&blocked, Int32($0)) == 1 ? "1" : "0" }.joined()
      locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      core = [limit.rlim_cur, limit.rlim_max]
      actions = (1..<32).map { number in
        var action = sigaction()
        sigaction(Int32(number), nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      }
      folder = getcwd(nil, 0).map { String(cString: $0) } ?? ""
      var text = [UInt8](repeating: 0, count: 4096)
      let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      let count = max(0, read(file, &text, text.count))
      close(file)
      umask = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n").first {
        $0.hasPrefix("Umask:")
      }
    }
  }

  @Test("nothing of it changes, nor of the thread, whichever keychain is used")
  func unchanged() throws {
    for home in [Home(), Home(keyring: PrivateKeyring())] {
      let before = State()
      let keychain = try home.keychain()
      let item = try keychain.add(.internet(account: "alice"), "s3cret")
      try expect(keychain.secret(of: item), is: "s3cret")
      expect(State(), is: before)
    }
  }

  @Test("one thread after the other uses it")
  func threads() throws {
    for home in [Home(), Home(keyring: PrivateKeyring())] {
      nonisolated(unsafe) let keychain = try home.keychain()
      let outcomes = Collected<String>()
      for number in 0..<8 {
        concurrently(1) { _ in
          do {
            try keychain.add(.internet(account: ByteString("\(number)")), .text("of \(number)"))
            outcomes.append("\(try keychain.accounts().count)")
          } catch { outcomes.append("\(error)") }
        }
      }
      expect(outcomes.all, is: (1...8).map { "\($0)" })
    }
  }

  @Test("a service that is started anew is used again")
  func restartedService() throws {
    let keyring = PrivateKeyring()
    let home = Home(keyring: keyring)
    let keychain = try home.keychain()
    try keychain.add(.internet(account: "alice"), "s3cret")
    for _ in 0..<2 {
      keyring.restartKeyring()
      try expect(keychain.answeredSecret(.internet()), is: "s3cret")
    }
  }
}
