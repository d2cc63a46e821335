import Bytes
import CLinux
import Glibc

/// A process that keeps vaults unlocked, until it keeps none.
///
/// It answers only processes of its own user, one request at a time, and disconnects clients that don't finish a
/// request in time. Identities never leave it.
package struct Agent: ~Copyable {
  private let listener: Int32
  private let folder: Int32
  private let signals: Int32
  private let timer: Int32
  private let memory: LockedMemory
  private var keys: AgentKeys
  private var connections: [Connection] = []
  private var freeBuffers: [UnsafeMutableRawBufferPointer]
  private let reply: UnsafeMutableRawBufferPointer
  /// When it ends without a key, in milliseconds since boot.
  private let patienceEnd: Int

  /// The most connections at a time; the oldest makes room for another.
  package static let maximumConnections = 64
  /// The longest time of a connection for a request, or idle, in milliseconds.
  static let connectionTime = 5000
  /// The longest wait for a first key, in milliseconds.
  private static let patience = 10_000

  package static let socketName = "agent"

  private struct Connection {
    let descriptor: Int32
    let buffer: UnsafeMutableRawBufferPointer
    var count = 0
    var deadline: Int
  }

  private static var bufferSize: Int { AgentProtocol.lengthSize + AgentProtocol.maximumSize }
  private static var memorySize: Int { AgentKeys.memorySize + (maximumConnections + 1) * bufferSize }

  /// Whether a process may lock enough memory for an agent.
  static var canLockMemory: Bool { LockedMemory(count: memorySize) != nil }

  /// - Parameters:
  ///   - listener: the listening socket.
  ///   - folder: the socket's folder.
  ///   - signals: a descriptor that becomes readable when the agent should end; -1 if there is none.
  /// - Returns: `nil` with `errno` if memory can't be locked or there is no timer.
  package init?(listener: Int32, folder: Int32, signals: Int32) {
    let bufferSize = Self.bufferSize
    let count = Self.maximumConnections
    let timer = clinux_boot_timer()
    if timer < 0 { return nil }
    guard let memory = LockedMemory(count: Self.memorySize) else {
      close(timer)
      return nil
    }
    self.timer = timer
    keys = AgentKeys(memory.part(0, AgentKeys.memorySize))
    freeBuffers = (0..<count).map { memory.part(AgentKeys.memorySize + $0 * bufferSize, bufferSize) }
    reply = memory.part(AgentKeys.memorySize + count * bufferSize, bufferSize)
    self.memory = memory
    self.listener = listener
    self.folder = folder
    self.signals = signals
    patienceEnd = SystemClock.sinceBoot + Self.patience
  }

  deinit {
    for connection in connections { close(connection.descriptor) }
    close(timer)
  }

  /// Answers requests until the agent keeps nothing or is told to end. Then removes the socket and wipes the memory.
  package consuming func run() {
    while !isToEnd() {
      setTimer()
      var polled = [signals, timer, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      polled += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      if poll(&polled, nfds_t(polled.count), -1) < 0 {
        if errno == EINTR { continue }
        break
      }
      if polled[0].revents != 0 { break }
      if polled[1].revents != 0 {
        var expirations: UInt64 = 0
        read(timer, &expirations, MemoryLayout<UInt64>.size)
      }
      let now = SystemClock.sinceBoot
      keys.sweep(at: now)
      // From the end, because disconnecting removes from the array. Waiting requests come before new connections.
      for index in connections.indices.reversed() {
        if polled[index + 3].revents != 0 { serve(index) }
      }
      for index in connections.indices.reversed() where connections[index].deadline <= now { cutOff(index) }
      if polled[2].revents != 0 { accept() }
    }
    unlinkat(folder, Self.socketName, 0)
    keys.removeAll()
  }

  private func isToEnd() -> Bool {
    keys.isEmpty && (keys.hasKept || SystemClock.sinceBoot >= patienceEnd)
  }

  private func setTimer() {
    var next = keys.nextEnd ?? patienceEnd
    for connection in connections { next = min(next, connection.deadline) }
    clinux_set_boot_timer(timer, max(next, 1))
  }

  private mutating func accept() {
    // A few at a time, so that a flood of connections doesn't keep others from being answered.
    for _ in 0..<16 {
      let descriptor = clinux_accept(listener)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
          // The connection stays in the queue, so poll would return at once.
          if connections.isEmpty { usleep(10_000) } else { cutOff(0) }
        }
        return
      }
      guard clinux_peer_uid(descriptor) == Int(geteuid()) else {
        close(descriptor)
        continue
      }
      if freeBuffers.isEmpty { cutOff(0) }
      guard let buffer = freeBuffers.popLast() else {
        close(descriptor)
        continue
      }
      connections.append(
        Connection(
          descriptor: descriptor, buffer: buffer, deadline: SystemClock.sinceBoot + Self.connectionTime))
      // Most clients have sent their request by now.
      serve(connections.count - 1)
      if keys.isEmpty, keys.hasKept { return }
    }
  }

  private mutating func cutOff(_ index: Int) {
    let connection = connections.remove(at: index)
    close(connection.descriptor)
    connection.buffer.wipe()
    freeBuffers.append(connection.buffer)
  }

  /// Reads the available bytes, and answers complete requests.
  private mutating func serve(_ index: Int) {
    let connection = connections[index]
    let free = UnsafeMutableRawBufferPointer(rebasing: connection.buffer[connection.count...])
    let count = recv(connection.descriptor, free.baseAddress, free.count, Int32(MSG_DONTWAIT))
    if count <= 0 {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      return cutOff(index)
    }
    connections[index].count += count
    guard answerRequests(index) else { return cutOff(index) }
  }

  /// Answers the complete requests in a connection's buffer. Returns false if the client has to be disconnected.
  private mutating func answerRequests(_ index: Int) -> Bool {
    let buffer = connections[index].buffer
    while connections[index].count >= AgentProtocol.lengthSize {
      let size = Int(UnsafeRawBufferPointer(buffer).bigEndian(at: 0, UInt32.self))
      guard 2...AgentProtocol.maximumSize ~= size else { return false }
      let end = AgentProtocol.lengthSize + size
      if connections[index].count < end { return true }
      let request = UnsafeRawBufferPointer(rebasing: buffer[AgentProtocol.lengthSize..<end])
      guard let replySize = answer(request) else { return false }
      let frame = UnsafeMutableRawBufferPointer(rebasing: reply[..<replySize])
      let sent = send(
        connections[index].descriptor, frame.baseAddress, frame.count,
        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      reply.wipe()
      if sent != replySize { return false }
      let rest = connections[index].count - end
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[end..<end + rest]))
      UnsafeMutableRawBufferPointer(rebasing: buffer[rest..<connections[index].count]).wipe()
      connections[index].count = rest
      connections[index].deadline = SystemClock.sinceBoot + Self.connectionTime
    }
    return true
  }

  /// Writes the reply to a request, and returns its size; `nil` if the request can't be understood.
  private mutating func answer(_ request: UnsafeRawBufferPointer) -> Int? {
    guard request[0] == AgentProtocol.version, let operation = AgentProtocol.Operation(rawValue: request[1]),
      request.count == 2 + operation.argumentSize
    else { return nil }
    let result = UnsafeMutableRawBufferPointer(
      rebasing: reply[(AgentProtocol.lengthSize + 1)..<(AgentProtocol.lengthSize + 1 + operation.resultSize)])
    let outcome = keys.perform(
      operation, UnsafeRawBufferPointer(rebasing: request[2...]), into: result, at: SystemClock.sinceBoot)
    guard let outcome else { return nil }
    let size = 1 + (outcome == .done ? operation.resultSize : 0)
    withUnsafeBytes(of: UInt32(size).bigEndian) { reply.copyMemory(from: $0) }
    reply[AgentProtocol.lengthSize] = outcome.rawValue
    return AgentProtocol.lengthSize + size
  }
}
