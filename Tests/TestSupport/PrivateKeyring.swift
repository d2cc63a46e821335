import Bytes
import Glibc
public import Keychain
public import SecretService

/// A separate message bus with a gnome-keyring, whose collection `login` is empty and unlocked. Both are ended, and
/// their files removed, when this is released.
public final class PrivateKeyring: @unchecked Sendable {
  // Unchecked is sound: only `init`, `deinit`, `endKeyring` and `restartKeyring` change the processes.
  private let folder = TemporaryFolder()
  private var processes: [pid_t] = []

  /// The password of the collection `login`.
  public static let password = "a password for tests"

  /// The address of the bus.
  public var address: String { "unix:path=" + folder["bus"] }

  /// Starts both.
  public init() {
    for name in ["home", "run", "tmp"] { folder.makeFolder(name) }
    folder.write(
      Array(
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
        <allow own="*"/></policy></busconfig>
        """.utf8), to: "bus.conf")
    start("dbus-daemon", ["--nofork", "--config-file=" + folder["bus.conf"]], input: [])
    // The socket's file is there a moment before it listens. A keyring that is refused then goes on without a bus.
    wait("the bus") { Self.accepts(folder["bus"]) }
    startKeyring()
  }

  deinit {
    for process in processes.reversed() { Self.end(process) }
  }

  /// Ends the keyring, and restarts it with what it has saved. Collections other than `login` are locked then.
  public func restartKeyring() {
    endKeyring()
    startKeyring()
  }

  /// Ends the keyring.
  public func endKeyring() {
    if processes.count > 1, let process = processes.popLast() { Self.end(process) }
  }

  private func startKeyring() {
    start(
      "gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"],
      input: Array(Self.password.utf8))
    wait("the keyring") { (try? keychain().facts())?.collection?.isLocked == false }
  }

  private static func end(_ process: pid_t) {
    kill(process, SIGKILL)
    TestProgram.wait(for: process)
  }

  /// Whether a server takes connections on a socket.
  private static func accepts(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  /// A keychain on this keyring.
  ///
  /// - Parameter change: changes the settings, which ask nobody.
  public func keychain(
    _ change: (inout DesktopKeychainSettings) -> Void = { _ in }
  ) throws(KeychainError) -> SecretServiceKeychain {
    var settings = DesktopKeychainSettings()
    settings.busAddress = address
    settings.mayPrompt = false
    settings.lockFolder = folder["run/lock"]
    settings.keyringFolder = folder["home/.local/share/keyrings"]
    // Many of these run at once on machines with few cores.
    settings.probeTimeout = 30_000
    settings.callTimeout = 30_000
    change(&settings)
    return try SecretServiceKeychain(settings)
  }

  /// The keyring's process.
  public var process: pid_t { processes[1] }

  /// Sends a signal to the keyring.
  public func signalKeyring(_ signal: Int32) { kill(processes[1], signal) }

  private func start(_ program: String, _ arguments: [String], input: [UInt8]) {
    folder.write(input, to: "input")
    let given = open(folder["input"], O_RDONLY | O_CLOEXEC)
    let log = open(folder["\(program).log"], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { for descriptor in [given, log] { close(descriptor) } }
    do {
      processes.append(
        try TestProgram.start(
          [program] + arguments, [.copy(of: given), .copy(of: log), .copy(of: log)],
          variables: [
            "HOME": folder["home"], "XDG_RUNTIME_DIR": folder["run"], "TMPDIR": folder["tmp"],
            "DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
          ]))
    } catch {
      fatalError("\(error)")
    }
  }

  private func wait(_ what: String, until isThere: () -> Bool) {
    for _ in 0..<12_000 {
      if isThere() { return }
      usleep(10_000)
    }
    fatalError("\(what) did not start; see \(folder.path)")
  }
}
