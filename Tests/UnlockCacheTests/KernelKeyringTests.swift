import Age
import Expectations
import Glibc
import Keychain
import Testing

@testable import UnlockCache

/// Whether keys can be used here, which many containers don't allow.
private let hasKeyring: Bool = {
  let sample = Sample()
  defer { KernelKeyring.forget(sample.uuid) }
  do {
    try KernelKeyring.keep(sample.identity, sample.authentication, of: sample.uuid, UnlockLimits(idle: 60))
    return true
  } catch {
    return false
  }
}()

@Suite("The kernel keyring", .enabled(if: hasKeyring, "keys can't be used here"))
struct KernelKeyringTests {
  private func cache(idle: Int = 900, total: Int = 28_800) -> UnlockCache {
    UnlockCache(
      mode: .keyring, limits: UnlockLimits(idle: idle, total: total), runtimeFolder: nil,
      stateFolder: "/nowhere")
  }

  @Test("gives back the key that it keeps, until that is forgotten")
  func gives() throws {
    let (one, other) = (Sample(), Sample())
    let cache = cache()
    defer {
      cache.forget(one.uuid)
      cache.forget(other.uuid)
    }
    expect(!cache.has(one.uuid))
    try expect(cache.keep(one.identity, one.authentication, of: one.uuid), is: .keyring)
    try expect(cache.keep(other.identity, other.authentication, of: other.uuid), is: .keyring)
    for sample in [one, other] {
      let key = try cache.found(sample.uuid)
      try expect(sample.isOpened(by: key))
    }
    cache.forget(one.uuid)
    expect(!cache.has(one.uuid))
    expect(cache.has(other.uuid))
  }

  @Test("keeps a vault's newer key in the place of the older")
  func replaces() throws {
    let (old, new) = (Sample(), Sample())
    let cache = cache()
    defer { cache.forget(old.uuid) }
    try cache.keep(old.identity, old.authentication, of: old.uuid)
    try cache.keep(new.identity, new.authentication, of: old.uuid)
    let key = try cache.found(old.uuid)
    try expect(new.isOpened(by: key))
  }

  @Test("says how long it keeps a key")
  func state() throws {
    let sample = Sample()
    let cache = cache(idle: 600, total: 7200)
    defer { cache.forget(sample.uuid) }
    try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    let state = try #require(cache.state(of: sample.uuid))
    expect(state.kind, is: .keyring)
    expect(7000...7200 ~= state.total)
    if let idle = state.idle { expect(420...600 ~= idle) }
  }

  @Test("forgets at the idle time", .timeLimit(.minutes(60)))
  func idle() throws {
    let sample = Sample()
    let cache = cache(idle: 1)
    defer { cache.forget(sample.uuid) }
    try cache.keep(sample.identity, sample.authentication, of: sample.uuid)
    usleep(2_500_000)
    expect(!cache.has(sample.uuid))
    expect(cache.state(of: sample.uuid), is: nil)
  }

  @Test("nothing is looked for or kept where nothing is to be")
  func none() throws {
    let sample = Sample()
    let keyring = cache()
    defer { keyring.forget(sample.uuid) }
    let none = UnlockCache(mode: .none, runtimeFolder: nil, stateFolder: "/nowhere")
    try expect(none.keep(sample.identity, sample.authentication, of: sample.uuid), is: nil)
    expect(!keyring.has(sample.uuid))
    try keyring.keep(sample.identity, sample.authentication, of: sample.uuid)
    expect(!none.has(sample.uuid) && none.state(of: sample.uuid) == nil)
    // Locking always locks, whatever cache is chosen.
    none.forget(sample.uuid)
    expect(!keyring.has(sample.uuid))
  }

  @Test("limits stay within their bounds, and idleness within the limit")
  func limits() {
    expect(UnlockLimits(), is: UnlockLimits(idle: 900, total: 28_800))
    expect(UnlockLimits(idle: 0, total: 0), is: UnlockLimits(idle: 1, total: 1))
    expect(UnlockLimits(idle: .max, total: .max).total, is: 30 * 86_400)
    expect(UnlockLimits(idle: 100, total: 10).idle, is: 10)
  }
}
