import EncryptedFile
import Expectations
import Glibc
import Keychain
import Testing
import TestSupport

@Suite("Descriptors")
struct DescriptorTests {
  /// Runs the body repeatedly, and expects that no descriptor below the place stays open.
  private func expectNoLeak(
    _ place: Place, sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Void
  ) {
    for _ in 0..<100 { body() }
    #expect(descriptors(below: place.path) == 0, sourceLocation: sourceLocation)
  }

  @Test("the count sees a descriptor that is open, as a keychain that has answered has one")
  func control() throws {
    let place = try Place.filled()
    expect(descriptors(below: place.path), is: 0)
    let keychain = place.keychain()
    try expect(keychain.servers(), is: ["a.example"])
    for _ in 0..<100 { try expect(keychain.servers(), is: ["a.example"]) }
    expect(descriptors(below: place.path), is: 1)
    withExtendedLifetime(keychain) {}
  }

  @Test("reading and writing leave none open")
  func success() throws {
    let place = try Place.filled()
    expectNoLeak(place) {
      expect(failure { _ = try place.keychain().servers() }, is: nil)
      expect(failure { try place.keychain().exclusively { () throws(KeychainError) in } }, is: nil)
    }
    for number in 0..<20 { try place.keychain().add(servers: ["\(number).example"]) }
    expect(descriptors(below: place.path), is: 0)
  }

  @Test(
    "reading and writing that are refused, or end in an error, leave none open",
    arguments: [
      "", "1 folders", "1 adds a; 1 mode @data/llavero 744", "1 adds a; 1 mode @state/llavero 744",
      "1 adds a; 1 mode vault 744", "1 adds a; 1 mode lock 744", "1 adds a; 1 mode identity 744",
      "1 adds a; 1 removes lock; 1 pipes lock", "1 adds a; 1 writes vault []",
      "1 adds a; 1 writes vault 1/vault<1",
      "1 adds a; 1 writes vault 1/vault<1500", "1 adds a; 1 writes vault 1/vault<4000",
      "1 adds a; 1 writes vault 1/vault<4300", "1 adds a; 1 removes vault", "1 adds a; 1 removes identity",
    ])
  func failing(script: String) throws {
    let scene = Scene("refused", files: [:])
    try scene.play(script)
    let place = scene.place("1")
    expectNoLeak(place) {
      _ = try? place.keychain().servers()
      _ = try? place.keychain().summary()
      // There it would make a vault, or add the item.
      if script.contains("adds") {
        expect(failure { try place.keychain().add(servers: ["a.example"]) } != nil)
      }
    }
  }

  @Test("a lock that is held leaves none open")
  func lock() throws {
    let place = try Place.filled()
    let holder = place.keychain()
    try holder.exclusively { () throws(KeychainError) in
      let before = descriptors(below: place.path)
      for _ in 0..<100 {
        expect(failure { try place.keychain(patience: 0).add(servers: ["b.example"]) } != nil)
      }
      expect(descriptors(below: place.path), is: before)
    }
  }

  @Test("a vault that may be read and not written leaves none open")
  func newerWriter() throws {
    let place = Place()
    var vault = try HandMadeVault()
    vault.head = [("min_writer", "2")]
    try vault.install(at: place)
    expectNoLeak(place) { expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil) }
  }

  @Test("no descriptor is closed twice: those that others open meanwhile stay open")
  func doubleClose() throws {
    let place = try Place.filled()
    chmod(place.identityFile, 0o644)
    let isDone = Collected<Bool>()
    let lost = Collected<Int32>()
    concurrently(3) { thread in
      if thread == 0 {
        for _ in 0..<1500 {
          _ = try? place.keychain().servers()
          _ = failure { try place.keychain().add(servers: ["b.example"]) }
        }
        isDone.append(true)
        return
      }
      while isDone.all.isEmpty {
        let mine = open("/dev/null", O_RDONLY | O_CLOEXEC)
        sched_yield()
        if close(mine) != 0 { lost.append(mine) }
      }
    }
    expect(lost.all, is: [])
  }
}
