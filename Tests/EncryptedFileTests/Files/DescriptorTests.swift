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

  private func filled() throws -> Place {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    return place
  }

  @Test("the count sees a descriptor that is open, as a keychain that has answered has one")
  func control() throws {
    let place = try filled()
    expect(descriptors(below: place.path), is: 0)
    let keychain = place.keychain()
    try expect(keychain.servers(), is: ["a.example"])
    for _ in 0..<100 { try expect(keychain.servers(), is: ["a.example"]) }
    expect(descriptors(below: place.path), is: 1)
    withExtendedLifetime(keychain) {}
  }

  @Test("reading and writing leave none open")
  func success() throws {
    let place = try filled()
    expectNoLeak(place) {
      expect(failure { _ = try place.keychain().servers() }, is: nil)
      expect(failure { try place.keychain().exclusively { () throws(KeychainError) in } }, is: nil)
    }
    for number in 0..<20 {
      try place.keychain().add(servers: ["\(number).example"])
    }
    expect(descriptors(below: place.path), is: 0)
  }

  @Test("asking where there is no vault leaves none open")
  func noVault() {
    let place = Place()
    expectNoLeak(place) { _ = try? place.keychain().servers() }
    place.makeFolders()
    expectNoLeak(place) { _ = try? place.keychain().servers() }
  }

  @Test(
    "refusing a file or folder leaves none open",
    arguments: [
      "data/llavero", "state/llavero", "data/llavero/vault.age", "data/llavero/lock",
      "state/llavero/identity.txt",
    ])
  func refusal(path: String) throws {
    let place = try filled()
    chmod(place.path + "/" + path, 0o744)
    expectNoLeak(place) {
      _ = try? place.keychain().servers()
      expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil)
    }
  }

  @Test("a lock that is a folder, a FIFO or held leaves none open")
  func lock() throws {
    let place = try filled()
    unlink(place.lock)
    mkfifo(place.lock, 0o600)
    expectNoLeak(place) { expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil) }
    unlink(place.lock)
    let holder = place.keychain()
    try holder.exclusively { () throws(KeychainError) in
      let before = descriptors(below: place.path)
      for _ in 0..<100 {
        expect(failure { try place.keychain(patience: 0).add(servers: ["b.example"]) } != nil)
      }
      expect(descriptors(below: place.path), is: before)
    }
  }

  @Test("damage and missing parts leave none open")
  func damage() throws {
    let place = try filled()
    let whole = try contents(of: place.vault)
    for count in [0, 10, 200, 3000, whole.count - 1] {
      try put(Array(whole[..<count]), into: place.vault)
      expectNoLeak(place) {
        expect(failure { try place.keychain().servers() } != nil)
        expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil)
        expect(failure { try place.keychain().summary() } != nil)
      }
    }
    unlink(place.vault)
    expectNoLeak(place) { expect(failure { try place.keychain().servers() } != nil) }
    try put(whole, into: place.vault)
    unlink(place.identityFile)
    expectNoLeak(place) { expect(failure { try place.keychain().servers() } != nil) }
  }

  @Test("a vault that may be read and not written leaves none open")
  func newerWriter() throws {
    let place = Place()
    var vault = try HandMadeVault()
    vault.head = [("min_writer", "2")]
    try vault.install(at: place)
    expectNoLeak(place) { expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil) }
  }

  @Test("a change that ends in an error leaves none open")
  func abandoned() throws {
    let place = try filled()
    expectNoLeak(place) {
      expect(
        failure { try place.keychain().add(item("a.example"), Credential(password: "")) }, is: .duplicateItem)
    }
  }

  @Test("no descriptor is closed twice: those that others open meanwhile stay open")
  func doubleClose() throws {
    let place = try filled()
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
