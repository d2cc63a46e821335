import DefaultKeychain
import Glibc
import Keychain
import SharedKeychain
import TokenKeeper

/// Prints a message to standard error, which is separate from results.
func say(_ message: String) {
  let line = Array("token-keeper: \(message)\n".utf8)
  write(STDERR_FILENO, line, line.count)
}

func fail(_ message: String, status: Int32) -> Never {
  say(message)
  exit(status)
}

/// The first line of standard input, without its end.
func readPassword() -> Secret {
  var password = Secret()
  while true {
    let byte = getchar_unlocked()
    if byte == EOF || byte == Int32(UInt8(ascii: "\n")) { return password }
    password.append(UInt8(truncatingIfNeeded: byte))
  }
}

let usage = "usage: token-keeper login ACCOUNT | whoami ACCOUNT | logout ACCOUNT | list | probe | watch"
let arguments = CommandLine.arguments.dropFirst()

do throws(KeychainError) {
  let keychain = SharedKeychain(try DefaultKeychain())
  let keeper = TokenKeeper(keychain)
  switch (arguments.first, arguments.dropFirst().first) {
  case ("login", let account?):
    // Before the user types anything.
    if let obstacle = keeper.obstacle() {
      fail("no token could be kept now: \(obstacle)", status: 2)
    }
    switch keeper.logIn(account, password: readPassword()) {
    case .kept: say("logged in as \(account)")
    case .refused: fail("the service refuses that password", status: 1)
    case .notKept(let token, let error):
      say("logged in, but the token can't be kept (\(error)); it is printed, so that it isn't lost")
      token.secret.withUnsafeBytes { bytes in _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count) }
      exit(2)
    }
  case ("whoami", let account?):
    guard let name = try keeper.whoAmI(account) else { fail("not logged in", status: 1) }
    try keeper.note("used by token-keeper", for: account)
    print(name)
  case ("logout", let account?):
    if try !keeper.logOut(account) { fail("not logged in", status: 1) }
  case ("list", nil):
    for account in try keeper.accounts() { print(account) }
  case ("probe", nil):
    switch keychain.probe() {
    case .ready: print("ready")
    case .locked: print("locked")
    case .notWritable(let error): print("not writable: \(error)")
    case .unavailable(let error): print("unavailable: \(error)")
    }
  case ("watch", nil):
    try await keeper.watch { line in
      print(line)
      fflush(nil)
    }
  default: fail(usage, status: 64)
  }
} catch {
  fail("the keychain can't be used: \(error)", status: 2)
}
