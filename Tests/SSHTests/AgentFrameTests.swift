import Bytes
import Expectations
import Properties
import Testing

@testable import Forwarding

@Suite("frames of an ssh agent") struct AgentFrameTests {
  @Test("what the fuzzer has found is read within its bounds")
  func corpus() throws {
    try expect(Corpus.failures(of: "ssh-bytes", SSHBytesProperty.self), is: [])
  }

  private func take(_ frames: inout AgentFrames) -> [UInt8]? {
    guard case .frame(let size) = frames.next else { return nil }
    return frames.take(size) { Array($0) }
  }

  @Test("frames come out whole, however their bytes arrive")
  func pieces() {
    let sent: [[UInt8]] = [
      AgentFrame.encode(11), AgentFrame.encode(27, extensionName: "query", [1, 2, 3]),
      AgentFrame.encode(5), AgentFrame.encode(29, extensionName: "x", [UInt8](repeating: 7, count: 40_000)),
      AgentFrame.encode(6),
    ]
    for size in [1, 2, 3, 5, 4096, 100_000] {
      var frames = AgentFrames()
      var received: [[UInt8]] = []
      var rest = sent.flatMap(\.self)[...]
      while !rest.isEmpty {
        Array(rest.prefix(size)).withUnsafeBytes { frames.append($0) }
        rest = rest.dropFirst(size)
        while let frame = take(&frames) { received.append(frame) }
      }
      expect(received, is: sent, "\(size)")
      expect(frames.count, is: 0)
    }
  }

  @Test(
    "a length of 0, and one above the bound, is malformed at once",
    arguments: [0, 262_145, 0x7fff_ffff, 0xffff_ffff] as [UInt32])
  func lengths(length: UInt32) {
    var head: [UInt8] = []
    head.append(wire: length)
    var frames = AgentFrames()
    head.withUnsafeBytes { frames.append($0) }
    guard case .malformed = frames.next else {
      Issue.record("\(length) is a length")
      return
    }
  }

  @Test("the largest length is no fault")
  func largest() {
    var frames = AgentFrames()
    let frame = AgentFrame.encode(
      27, extensionName: "x", [UInt8](repeating: 0, count: AgentFrame.maximumLength - 6))
    frame.withUnsafeBytes { frames.append($0) }
    expect(take(&frames), is: frame)
  }

  @Test("half a head is incomplete")
  func halfHead() {
    var frames = AgentFrames()
    ([0, 0] as [UInt8]).withUnsafeBytes { frames.append($0) }
    guard case .incomplete = frames.next else {
      Issue.record("two bytes are more than that")
      return
    }
  }

  @Test("an extension has a name and contents")
  func extensions() throws {
    let frame = AgentFrame.encode(27, extensionName: "a@example", [9, 8])
    try frame.withUnsafeBytes { bytes in
      let message = AgentMessage(bytes.part(4, bytes.count - 4))
      let (name, contents) = try #require(message.asExtension)
      expect(name == "a@example")
      expect(Array(contents), is: [9, 8])
    }
    for contents: [UInt8] in [[27], [27, 0, 0, 0, 0], [27, 0, 0, 0, 9, 1], [11, 0, 0, 0, 1, 0x61]] {
      contents.withUnsafeBytes { expect(AgentMessage($0).asExtension == nil) }
    }
  }

  @Test("the names of a query's reply come back")
  func query() throws {
    let names: [ByteString] = ["session-bind@openssh.com", "b@example"]
    let read = try QueryExtension.reply(names).withUnsafeBytes { bytes in
      try QueryExtension.names(in: AgentMessage(bytes.part(4, bytes.count - 4)))
    }
    expect(read, is: names)
    let failure = AgentFrame.encode(AgentMessageType.failure)
    #expect(throws: WireError.value) {
      try failure.lendingBytes { (bytes) throws(WireError) in
        try QueryExtension.names(in: AgentMessage(bytes.part(4, 1)))
      }
    }
  }
}

@Suite("session-bind") struct SessionBindTests {
  private func parse(_ session: Int, flag: [UInt8], trailing: [UInt8] = []) -> Result<SessionBind, WireError>
  {
    var contents: [UInt8] = []
    contents.append(wireString: [1])
    contents.append(wireString: [UInt8](repeating: 2, count: session))
    contents.append(wireString: [3])
    contents += flag + trailing
    return Result { () throws(WireError) in
      try contents.lendingBytes { (bytes) throws(WireError) in try SessionBind(parsing: bytes) }
    }
  }

  @Test("session identifiers have 1 to 128 bytes", arguments: [0, 1, 32, 48, 64, 128, 129])
  func sizes(size: Int) throws {
    switch parse(size, flag: [1]) {
    case .success(let bind):
      expect(1...128 ~= size)
      expect(bind.isForwarding && bind.sessionID.count == size)
    case .failure(let error): expect(error == .value && !(1...128 ~= size))
    }
  }

  @Test("the flag is 0 or 1, and nothing follows it")
  func flags() throws {
    try expect(!parse(32, flag: [0]).get().isForwarding)
    #expect(throws: WireError.value) { try parse(32, flag: [7]).get() }
    #expect(throws: WireError.trailing) { try parse(32, flag: [1], trailing: [0]).get() }
    #expect(throws: WireError.truncated) { try parse(32, flag: []).get() }
  }
}
