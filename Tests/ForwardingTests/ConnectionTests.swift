import CLinux
import Dispatch
import Expectations
import Forwarding
import Glibc
import Keychain
import TestSupport
import Testing

@Suite("connections to the agent that forwards") struct ConnectionTests {
  @Test("a full queue is waited for")
  func fullQueue() throws {
    let folder = TemporaryFolder()
    let path = folder["socket"]
    func connected() -> Int32 { clinux_connect_unix(path, path.utf8.count, false, 0) }
    let listener = clinux_listen_unix(path, 1)
    try #require(listener >= 0)
    var waiting: [Int32] = []
    while true {
      let descriptor = connected()
      if descriptor < 0 { break }
      waiting.append(descriptor)
    }
    expect(errno, is: EAGAIN)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
      close(accept(listener, nil, nil))
    }
    #expect(throws: Never.self) { try ForwardingConnection(toOwnAgent: path) }
    for descriptor in waiting + [listener] { close(descriptor) }
  }

  @Test(
    "an agent that forwards nothing is told from one that does",
    arguments: [
      ("failure", [5]), ("success, without a list", [6]),
      ("a list without llavero's extension", [29] + Self.text("query") + Self.text("other@example")),
    ] as [(String, [UInt8])])
  func otherAgent(name: String, reply: [UInt8]) throws {
    let folder = TemporaryFolder()
    let path = folder["socket"]
    let listener = clinux_listen_unix(path, 1)
    try #require(listener >= 0)
    defer { close(listener) }
    clinux_make_blocking(listener)
    // The queue's threads may all wait for others, and the agent has two seconds.
    onThreadOfItsOwn {
      let descriptor = accept(listener, nil, nil)
      var request = [UInt8](repeating: 0, count: 1024)
      _ = read(descriptor, &request, request.count)
      let frame = [0, 0, 0, UInt8(reply.count)] + reply
      _ = write(descriptor, frame, frame.count)
      // It stays connected, as agents do.
      _ = read(descriptor, &request, request.count)
      close(descriptor)
    }
    let error = #expect(throws: KeychainError.self) { try ForwardingConnection(to: path, isNamed: true) }
    guard case .otherAgent(path)? = error?.fault(ForwardingFault.self) else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// A string of SSH's encoding (RFC 4251 section 5).
  private static func text(_ text: String) -> [UInt8] {
    [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }
}
