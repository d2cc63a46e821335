import CLinux
import Expectations
import Foundation
import Forwarding
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
}
