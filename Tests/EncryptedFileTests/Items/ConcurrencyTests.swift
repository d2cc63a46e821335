import Expectations
import Glibc
import Keychain
import PrivateFiles
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Several at once")
struct ConcurrencyTests {
  @Test("writers lose nothing of each other's, and readers see whole generations")
  func writersAndReaders() throws {
    let place = Place()
    try place.keychain().add(servers: ["start.example"])
    let errors = Collected<String>()
    let finished = Collected<Int>()
    concurrently(7) { thread in
      let keychain = place.keychain()
      do {
        if thread < 4 {
          for number in 0..<15 { try keychain.add(servers: ["w\(thread)-\(number).example"]) }
          finished.append(thread)
        } else {
          var last = 0
          while finished.all.count < 4, errors.all.isEmpty {
            let reader = thread == 4 ? keychain : place.keychain()
            let count = try reader.servers().count
            if count < last { errors.append("\(last) items became \(count)") }
            last = count
          }
        }
      } catch { errors.append("\(error)") }
    }
    expect(errors.all, is: [])
    try expect(place.keychain().servers().count, is: 61)
    try expect(place.keychain().summary()?.contents?.generation, is: 61)
    expect(
      names(in: place.location.vaultFolder), is: [place.newestWriteName, "generations", "lock", "vault.age"])
  }

  @Test("readers of a large vault see whole generations while it is rewritten")
  func largeVault() throws {
    let place = Place()
    let servers = (0..<1500).map { "h\($0).example" }
    try place.keychain().add(servers: servers)
    let errors = Collected<String>()
    let finished = Collected<Int>()
    concurrently(3) { thread in
      let keychain = place.keychain()
      do {
        if thread == 0 {
          for number in 0..<12 {
            let found = try keychain.items(matching: query("h\(number * 100).example"))
            try keychain.update(found[0], Credential(password: "secret-h\(number * 100).example"))
          }
          finished.append(0)
        } else {
          var number = thread
          while finished.all.isEmpty, errors.all.isEmpty {
            number = (number * 31 + 7) % 1500
            let found = try keychain.items(matching: query("h\(number).example"))
            let secret: String? = try found.first.map { try keychain.secret(of: $0) }
            if secret != "secret-h\(number).example" { errors.append("\(number): \(found.count)") }
          }
        }
      } catch { errors.append("\(error)") }
    }
    expect(errors.all, is: [])
  }

  @Test("a writer gives up when its patience ends and says for how long it waited", arguments: [0, 1])
  func givingUp(patience: Int) throws {
    let place = try Place.filled()
    let before = try place.everything()
    let folder = try Folder(creating: place.location.vaultFolder)
    let held = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
    let start = time(nil)
    expect(
      failure { try place.keychain(patience: patience).add(servers: ["b.example"]) },
      is: .busy(path: place.lock, seconds: patience))
    expect(time(nil) - start <= patience + 2)
    try expect(place.everything(), is: before)
    // Readers aren't affected.
    try expect(place.keychain(patience: 0).servers(), is: ["a.example"])
    try expect(
      place.keychain(patience: 0).save(Self.same, Credential(password: "secret-a.example")), is: .unchanged)
    release(held)
    try place.keychain(patience: 0).add(servers: ["b.example"])
  }

  private static let same = item("a.example")

  private func release(_ lock: consuming FileLock) { _ = consume lock }

  @Test("a writer that has waited for five seconds says so once, and then gets the lock")
  func waiting() throws {
    let place = try Place.filled()
    let heard = Collected<EncryptedFileKeychain.Notice>()
    let errors = Collected<String>()
    let ready = Collected<Bool>()
    concurrently(2) { thread in
      do {
        if thread == 0 {
          let folder = try Folder(creating: place.location.vaultFolder)
          let held = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
          ready.append(true)
          while heard.all.isEmpty, errors.all.isEmpty { usleep(100_000) }
          usleep(600_000)
          _ = consume held
        } else {
          while ready.all.isEmpty, errors.all.isEmpty { usleep(1000) }
          try place.keychain(onNotice: { heard.append($0) }).add(servers: ["b.example"])
        }
      } catch { errors.append("\(error)") }
    }
    expect(errors.all, is: [])
    expect(heard.all, is: [.waiting(path: place.lock)])
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test("the lock is free again after a change that failed, and within one it is not asked for twice")
  func lockAfterFailure() throws {
    let place = Place()
    let keychain = place.keychain(patience: 0)
    try keychain.add(servers: ["a.example"])
    _ = failure {
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.exclusively { () throws(KeychainError) in }
        throw KeychainError.itemNotFound
      }
    }
    try place.keychain(patience: 0).add(servers: ["b.example"])
  }

  @Test("a lock that is given up is free at once, even if a program that just starts has its descriptor")
  func copiedDescriptor() throws {
    let place = Place()
    try withCopiedLock(in: place) { (held, folder) in
      release(held)
      let next = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
      release(next)
    }
  }

  @Test("a lock that was handed on is held by whoever has the copy of its descriptor")
  func handedOn() throws {
    let place = Place()
    try withCopiedLock(in: place) { (held, folder) in
      held.handOn()
      do throws(KeychainError) {
        try FileLock.check(VaultLocation.lockName, in: folder, patience: 0)
        Issue.record("it is free")
      } catch {
        expect(error, is: .busy(path: place.lock, seconds: 0))
      }
    }
  }

  /// Runs `body` with the lock of a place, of whose descriptor there is a copy until then.
  private func withCopiedLock(
    in place: Place, _ body: (consuming FileLock, borrowing Folder) throws -> Void
  ) throws {
    place.makeFolders()
    let folder = try Folder(creating: place.location.vaultFolder)
    let held = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
    let copy = fcntl(held.descriptor, F_DUPFD_CLOEXEC, 0)
    defer { close(copy) }
    try body(held, folder)
  }

  @Test("an answer has the secret that its item had when it was found", arguments: [2, 1500])
  func oneGeneration(count: Int) throws {
    let place = Place()
    try place.keychain().add(servers: (1..<count).map { "h\($0).example" })
    let (reader, writer) = (place.keychain(), place.keychain())
    let alice = Item(InternetPassword(protocol: "https", server: "a.example", account: "alice"))
    let bob = Item(InternetPassword(protocol: "https", server: "a.example", account: "bob"))
    var moved = try writer.add(alice, Credential(password: "of a.example"))
    try writer.add(bob, Credential(password: "bob's"))
    moved.key = item("z.example").key
    // Bob's item is tried first. Meanwhile another process gives alice's item another place and another secret.
    func isUsable(_ item: Item, _ credential: borrowing Credential) -> Bool {
      if !credential.secret.isEqual(to: Secret("bob's")) { return true }
      _ = try? writer.update(moved, Credential(password: "of z.example"))
      return false
    }
    switch try reader.answer(to: query("a.example"), where: isUsable) {
    case .some(let answer):
      let isOld = answer.credential.secret.isEqual(to: Secret("of a.example"))
      expect(isOld)
    case .none: Issue.record("no answer")
    }
    try expect(reader.items(matching: query("a.example")).count, is: 1)
    try expect(
      reader.items(matching: query("z.example")).map { try reader.secret(of: $0) }, is: ["of z.example"])
  }
}
