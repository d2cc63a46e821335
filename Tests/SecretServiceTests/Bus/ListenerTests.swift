import Expectations
import Glibc
import Keychain
import Synchronization
import TestSupport
import Testing

@testable import SecretService

@Suite("what is heard of the service", .timeLimit(.minutes(60))) struct ListenerTests {
  @Test("what a stranger tells is no change, and what the service tells is one")
  func stranger() throws {
    let service = try FakeService()
    let keychain = try service.keychain()
    let count = Collected<Int>()
    let subscription = try keychain.onChange { count.append(1) }
    defer { withExtendedLifetime(subscription) {} }
    let before = try keychain.revisions()
    let told = "(objectpath '\(FakeService.login)/1',)"
    for _ in 0..<10 { try service.pretend("ItemChanged", told, of: "org.freedesktop.Secret.Collection") }
    try service.pretend(
      "NameOwnerChanged", "('org.freedesktop.secrets', ':1.1', '')", of: "org.freedesktop.DBus")
    usleep(100_000)
    expect(count.all.isEmpty)
    try expect(keychain.revisions(), is: before)
    service.signal("ItemChanged", told)
    try waitUntil { count.all.count == 1 }
    try expect(keychain.revisions() != before)
  }

  @Test("of any number of items that came and went no more is kept than of a few thousand")
  func bounds() {
    var numbers = ChangeNumbers()
    for number in 0..<100_000 { numbers.change("/item/\(number)") }
    expect(numbers.count <= ChangeNumbers.limit)
    numbers.change(String(repeating: "/x", count: 5_000_000))
    expect(numbers.count <= ChangeNumbers.limit)
    for number in 0..<20_000 {
      numbers.change("/gone/\(number)")
      numbers.forget("/gone/\(number)")
    }
    expect(numbers.count <= 1)
  }

  @Test("each change gives the item another number, and none that it had before")
  func differs() {
    var numbers = ChangeNumbers()
    var random = SeededGenerator(seed: 3)
    var last: [String: Int64] = [:]
    for round in 0..<40_000 {
      let path = "/item/\(random.number(in: 0..<15_000))"
      if round % 7 == 0 { numbers.forget(path) }
      numbers.change(path)
      expect(numbers[path] > last[path] ?? 0)
      last[path] = numbers[path]
    }
  }

  @Test("a program is named after the file that it runs, whatever it calls itself")
  func forgedName() throws {
    let program = try Program(["/usr/bin/gnome-keyring-daemon", "1000"], at: "/bin/sleep")
    defer { program.end() }
    expect(programName(of: UInt32(program.process)), is: "sleep")
    expect(programName(of: UInt32(getpid())) != nil)
    expect(programName(of: 0) == nil && programName(of: .max) == nil)
  }
}
