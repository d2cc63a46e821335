package import Bytes
import Glibc
import Keychain
import NetworkProgram
package import OpenBao
package import SignIn

/// A real OpenBao server in memory, for all tests of the process together. It ends with the process, however that ends.
public final class OpenBaoNode: Sendable {
  /// The program: that of `LLAVERO_TEST_BAO`, else what `integration/requirements` installs; `nil` if there is none.
  public static let program: String? = {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let named = getenv("LLAVERO_TEST_BAO").map { String(cString: $0) }
    return [named, root + "/.build/venv/bin/bao"].compactMap { $0 }.first { access($0, X_OK) == 0 }
  }()

  /// The server; starts it at the first use.
  ///
  /// - Precondition: there is a ``program``.
  public static let shared = OpenBaoNode()

  /// The token that may do everything.
  public static let rootToken = "a-root-token"

  /// The server's address.
  package let address: EndpointURL

  private init() {
    guard let program = Self.program else { fatalError("bao is not installed") }
    let port = Self.freePort()
    guard let address = EndpointURL("http://127.0.0.1:\(port)") else { fatalError("an address") }
    self.address = address
    Self.start(
      [
        program, "server", "-dev", "-dev-no-store-token", "-dev-root-token-id=\(Self.rootToken)",
        "-dev-listen-address=127.0.0.1:\(port)",
      ])
    let transport = CurlTransport(timeout: 10_000) { _ in HTTPSettings(ExchangeSetup()) }
    let deadline = SystemClock.awake + 60_000
    while true {
      if let status = try? transport.exchange(HTTPRequest(get: address.at(unreserved: "/v1/sys/health")))
        .status,
        status == 200
      {
        break
      }
      guard SystemClock.awake < deadline else { fatalError("bao has not started") }
      usleep(20_000)
    }
  }

  /// Starts a program that is ended once this process has ended: then the socket closes that is its shell's input.
  private static func start(_ arguments: [String]) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0 else {
      fatalError("no socket")
    }
    let script = #""$@" </dev/null & child=$!; read -r _; kill -9 $child"#
    do {
      _ = try TestProgram.start(["sh", "-c", script, "sh"] + arguments, [.copy(of: ends[0]), .null, .null])
    } catch {
      fatalError("\(error)")
    }
    close(ends[0])
  }

  private static func freePort() -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(socket, address, size)
        _ = getsockname(socket, address, &size)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// A keychain in a folder of the server's store.
  package func keychain(in folder: String) -> OpenBaoKeychain {
    OpenBaoKeychain(
      OpenBaoSession(
        with: OpenBaoServer([address], mount: "secret", folder: folder),
        over: CurlTransport(timeout: 30_000) { _ in HTTPSettings(ExchangeSetup()) }, by: .token(name: nil),
        GivenToken(Self.rootToken), memory: ForgetfulStore()))
  }
}

/// A token that a test gives.
package final class GivenToken: LoginCredentials {
  private let text: String

  package init(_ text: String) { self.text = text }

  package func token() -> HeldToken? { HeldToken(Secret(text)) }
  package func keep(_ token: borrowing HeldToken, after former: borrowing Secret?) {}
  package func forget(_ token: borrowing Secret) {}
  package func account(for method: LoginMethod) -> ByteString? { nil }
  package func secret(for method: LoginMethod) -> Secret? { nil }
}

/// Keeps nothing for the next session.
package final class ForgetfulStore: ServerMemoryStore {
  package init() {}

  package func memory() -> ServerMemory { ServerMemory() }
  package func keep(_ memory: ServerMemory) {}
}
