import Age
import CLinux
import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("The agent")
struct AgentTests {
  private let agent: RunningAgent
  private let cache: UnlockCache

  init() throws {
    agent = try RunningAgent()
    cache = agent.cache()
  }

  @Test("gives back what opens the vault, but not the identity")
  func gives() throws {
    let (one, other) = (Sample(), Sample())
    try cache.keep(one.identity, one.authentication, of: one.uuid)
    try cache.keep(other.identity, other.authentication, of: other.uuid)
    for sample in [one, other] {
      let key = try cache.found(sample.uuid)
      try expect(sample.isOpened(by: key))
      expect(!(key.identity is X25519Identity))
    }
    expect(!cache.has(randomUUID()))
    expect(cache.forget(nil), is: [])
    expect(agent.ends())
  }

  @Test("gives the file key of the header that the vault's key is asked for with, if that opens it")
  func fileKeyAtOnce() throws {
    let sample = Sample()
    try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    let fileKey = FileKey()
    let bytes = fileKey.withUnsafeBytes { Array($0) }
    func found(_ stanzas: [Stanza]) -> [UInt8]? {
      guard var kept = cache.key(of: sample.uuid, toOpen: stanzas), let found = kept.fileKey.take()
      else { return nil }
      return found.withUnsafeBytes { Array($0) }
    }
    let own = try sample.identity.recipient.wrap(fileKey)
    let other = try X25519Identity().recipient.wrap(fileKey)
    expect(found(own), is: bytes)
    expect(found(other) == nil && found([]) == nil)
    expect(cache.forget(nil), is: [])
  }

  @Test("opens nothing that is another's, and refuses a share of low order")
  func otherStanzas() throws {
    let sample = Sample()
    try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    let key = try cache.found(sample.uuid)
    let other = try X25519Identity().recipient.wrap(FileKey())
    try expect(!unwraps(key, other))
    let own = try sample.identity.recipient.wrap(FileKey())
    try expect(unwraps(key, other + own))
    let zero = try Stanza(
      type: "X25519", arguments: [String(repeating: "A", count: 43)], body: [UInt8](repeating: 0, count: 32))
    #expect(throws: AgeError.header(.x25519LowOrder)) { _ = try key.identity.unwrap([zero]) }
    cache.forget(sample.uuid)
    #expect(throws: AgeError.identityGone) { _ = try unwraps(key, own) }
    expect(agent.ends())
  }

  @Test("forgets at the idle time and at the limit, and ends then")
  func expiry() throws {
    for (idle, total) in [(1, 60), (1, 1)] {
      let agent = try RunningAgent()
      let cache = agent.cache(idle: idle, total: total)
      let sample = Sample()
      try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
      expect(agent.ends())
      expect(!cache.has(sample.uuid) && cache.state(of: sample.uuid) == nil)
    }
  }

  @Test("keeps a vault's newer key in the place of the older, and a key found before opens nothing with it")
  func replaces() throws {
    let (former, newer) = (Sample(), Sample())
    try cache.keep(former.identity, former.authentication, of: former.uuid)
    let found = try cache.found(former.uuid)
    try cache.keep(newer.identity, newer.authentication, of: former.uuid)
    let wrapped = try newer.identity.recipient.wrap(FileKey())
    #expect(throws: AgeError.identityGone) { _ = try unwraps(found, wrapped) }
    let key = try cache.found(former.uuid)
    try expect(newer.isOpened(by: key))
    cache.forget(former.uuid)
    expect(agent.ends())
  }

  @Test("says that it is full, and goes on")
  func full() throws {
    let samples = (0..<AgentKeys.maximumCount).map { _ in Sample() }
    for sample in samples { try cache.keep(sample.identity, sample.authentication, of: sample.uuid) }
    let last = Sample()
    #expect(throws: KeychainError.self) {
      try cache.keep(last.identity, last.authentication, of: last.uuid)
    }
    for sample in samples {
      let key = try cache.found(sample.uuid)
      try expect(sample.isOpened(by: key))
    }
    cache.forget(samples[0].uuid)
    try cache.keep(last.identity, last.authentication, of: last.uuid)
    expect(cache.forget(nil), is: [])
    expect(agent.ends())
  }

  @Test("says how long it keeps a key")
  func state() throws {
    let agent = try RunningAgent()
    let cache = agent.cache(idle: 600, total: 7200)
    let sample = Sample()
    try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    let state = try #require(cache.state(of: sample.uuid))
    expect(7000...7200 ~= state.total && 420...600 ~= state.idle)
  }

  @Test("nothing is looked for or kept where nothing is to be")
  func none() throws {
    let sample = Sample()
    let none = UnlockCache(mode: .none, runtimeFolder: nil, stateFolder: agent.path)
    try none.keep(sample.identity, sample.authentication, of: sample.uuid)
    expect(!cache.has(sample.uuid))
    try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    expect(!none.has(sample.uuid) && none.state(of: sample.uuid) == nil)
    // Locking always locks, whatever cache is chosen.
    expect(none.forget(sample.uuid), is: [])
    expect(!cache.has(sample.uuid))
  }

  @Test("limits stay within their bounds, and idleness within the limit")
  func limits() {
    expect(UnlockLimits(), is: UnlockLimits(idle: 900, total: 28_800))
    expect(UnlockLimits(idle: 0, total: 0), is: UnlockLimits(idle: 1, total: 1))
    expect(UnlockLimits(idle: .max, total: .max).total, is: 30 * 86_400)
    expect(UnlockLimits(idle: 100, total: 10).idle, is: 10)
  }

  @Test("where there is none, nothing is kept, and none is started unasked")
  func noAgent() throws {
    let folder = TemporaryFolder()
    let cache = UnlockCache(runtimeFolder: nil, stateFolder: folder.path)
    let sample = Sample()
    expect(!cache.has(sample.uuid) && cache.state(of: sample.uuid) == nil)
    #expect(throws: KeychainError.unavailable(reason: "there is no agent")) {
      try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    }
    expect(cache.forget(nil), is: [])
    expect(folder.tree(), is: [])
  }

  @Test("one that lives and doesn't answer is told, be it stopped or without its socket")
  func unreached() throws {
    let folder = TemporaryFolder()
    let cache = UnlockCache(runtimeFolder: nil, stateFolder: folder.path)
    let place = try Folder(creating: folder.path)
    let kept = [folder.path]
    do {
      // Like a stopped process: its socket accepts connections, and nobody reads from them.
      let lock = try FileLock("agent.lock", in: place, patience: 0) {}
      let listener = clinux_listen_unix(Agent.socketPath(in: place), 64)
      expect(cache.forget(randomUUID()), is: kept)
      expect(cache.forget(nil), is: kept)
      close(listener)
      expect(cache.forget(randomUUID()), is: kept)
      unlink(folder["agent"])
      expect(cache.forget(randomUUID()), is: kept)
      withExtendedLifetime(lock) {}
    }
    // A dead process holds nothing.
    expect(cache.forget(randomUUID()) == [] && cache.forget(nil) == [])
  }

  @Test("where XDG_RUNTIME_DIR is another one, or none, all that keep a key are reached")
  func otherRuntimeFolder() throws {
    let agents = [try RunningAgent(), try RunningAgent()]
    let state = TemporaryFolder()
    let places = agents.map { _ in TemporaryFolder() }
    func cache(_ runtimeFolder: String?) -> UnlockCache {
      UnlockCache(runtimeFolder: runtimeFolder, stateFolder: state.path)
    }
    let sample = Sample()
    for (agent, place) in zip(agents, places) {
      expect(symlink(agent.path, place["llavero"]), is: 0)
      try cache(place.path).keep(sample.identity, sample.authentication, of: sample.uuid)
      expect(cache(place.path).has(sample.uuid))
    }
    expect(cache(nil).forget(sample.uuid), is: [])
    expect(agents.allSatisfy { $0.ends() })
    withExtendedLifetime(places) {}
  }

  @Test("requests of any content change nothing but what they may", arguments: [1, 2, 3, 4] as [UInt64])
  func fuzz(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: AgentKeys.memorySize, alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var keys = AgentKeys(memory)
    let result = UnsafeMutableRawBufferPointer.allocate(byteCount: 96, alignment: 16)
    defer { result.deallocate() }
    let names = (0..<80).map { _ in Array(randomUUID().utf8) }
    // Each with its recipient.
    var kept: [[UInt8]: ArraySlice<UInt8>] = [:]
    for step in 0..<rounds(4000) {
      let operation = try #require(
        AgentProtocol.Operation(rawValue: generator.pick([1, 1, 1, 2, 3, 4, 5, 5, 6])))
      if operation == .forgetAll, generator.number(in: 0..<50) > 0 { continue }
      let name = generator.pick(names)
      var arguments = Array((name + generator.bytes(200)).prefix(operation.argumentSize))
      let isValid = generator.number(in: 0..<2) == 0
      if operation == .keep, isValid {
        arguments.replaceSubrange(36..<44, with: [0, 0, 14, 16, 0, 0, 28, 32])
      }
      if operation == .unwrap, isValid, let own = kept[name] { arguments.replaceSubrange(36..<68, with: own) }
      let outcome = arguments.withUnsafeBytes {
        keys.perform(
          operation, $0, into: .init(rebasing: result[..<operation.resultSize]), at: step)
      }
      switch operation {
      case .keep:
        if outcome == .done { kept[name] = arguments[76..<108] }
        if isValid { expect(outcome == .done || (outcome == .full && kept.count == AgentKeys.maximumCount)) }
      case .forget:
        expect(outcome, is: kept.removeValue(forKey: name) == nil ? .notKept : .done)
      case .forgetAll: kept = [:]
      case .unwrap:
        let isAsked = isValid && kept[name] != nil
        expect(outcome == (isAsked ? .noMatch : .notKept) || isAsked && outcome == .lowOrder)
      case .describe, .state: expect(outcome, is: kept[name] == nil ? .notKept : .done)
      }
    }
    expect(keys.isEmpty, is: kept.isEmpty)
    keys.removeAll()
    expect(keys.hasKept && memory.allSatisfy { $0 == 0 })
  }
}
