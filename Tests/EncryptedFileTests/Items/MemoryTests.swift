import Expectations
import Glibc
import Keychain
import Testing
import TestSupport

@testable import EncryptedFile

/// Searches all writable memory of this process for copies of a password.
///
/// The password exists in plain form only where the test puts it: it is stored with each byte inverted.
private struct Needle {
  let inverted: [UInt8]

  init(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    inverted = (0..<40).map { _ in ~(UInt8(ascii: "a") + UInt8(numbers.next() % 26)) }
  }

  /// The password itself, in memory that is wiped.
  func secret() -> Secret {
    var secret = Secret(capacity: inverted.count)
    for byte in inverted { secret.append(~byte) }
    return secret
  }

  /// The copies, as the mappings that contain them.
  func copies() throws -> [String] {
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw Failed(operation: "open", path: "/proc/self/mem", errno: errno) }
    defer { close(memory) }
    let size = 1 << 20
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      buffer.deallocate()
    }
    let own = UInt(bitPattern: buffer.baseAddress)
    var found: [String] = []
    for line in try mappings() {
      let parts = line.split(separator: " ")
      let range = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard parts[1].hasPrefix("rw"), range.count == 2, !line.hasSuffix("[vvar]") else { continue }
      var position = range[0]
      while position < range[1] {
        let count = pread(memory, buffer.baseAddress, min(size, Int(range[1] - position)), Int(position))
        if count <= 0 { break }
        for offset in matches(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
          let address = position + UInt(offset)
          // The buffer contains what was just read, and is itself in one of the mappings.
          if address < own || address >= own + UInt(size) { found.append(String(line)) }
        }
        position += UInt(count < size ? count : count - inverted.count)
      }
    }
    return found
  }

  private func matches(in bytes: UnsafeRawBufferPointer) -> [Int] {
    var found: [Int] = []
    var position = 0
    let first = Int32(~inverted[0])
    while position + inverted.count <= bytes.count, let base = bytes.baseAddress,
      let hit = memchr(base + position, first, bytes.count - position - inverted.count + 1)
    {
      let offset = UnsafeRawPointer(hit) - base
      var length = 1
      while length < inverted.count, bytes[offset + length] == ~inverted[length] { length += 1 }
      if length == inverted.count { found.append(offset) }
      position = offset + 1
    }
    return found
  }

  private func mappings() throws -> [Substring] {
    text(try contents(of: "/proc/self/maps")).split(separator: "\n")
  }
}

// One after the other, because the buffer of one search may contain what another looks for.
@Suite("Memory", .serialized)
struct MemoryTests {
  @Test("the search finds a password that is there, in each place where it is")
  func control() throws {
    let needle = Needle(seed: 1)
    try expect(needle.copies(), is: [])
    let first = needle.secret()
    try expect(needle.copies().count, is: 1)
    let second = first.copy()
    try expect(needle.copies().count, is: 2)
    _ = consume second
    try expect(needle.copies().count, is: 1)
    _ = consume first
    try expect(needle.copies(), is: [])
  }

  @Test("nothing of a password is left in memory after it was stored and read", arguments: [1, 1500])
  func residue(count: Int) throws {
    let needle = Needle(seed: UInt64(100 + count))
    let place = Place()
    try place.keychain().add(servers: (0..<count).map { "h\($0).example" })
    try store(needle, at: place)
    try expect(needle.copies(), is: [], "after storing")
    try read(needle, at: place)
    try expect(needle.copies(), is: [], "after reading")
  }

  private func store(_ needle: Needle, at place: Place) throws {
    let keychain = place.keychain()
    try keychain.add(
      item("needle.example"),
      Credential(needle.secret(), refreshToken: needle.secret(), authenticationScheme: "Bearer"))
    let found = try keychain.items(matching: query("needle.example"))
    var changed = found[0]
    changed.label = "changed"
    try keychain.update(changed)
  }

  private func read(_ needle: Needle, at place: Place) throws {
    let keychain = place.keychain()
    let found = try keychain.items(matching: .all).filter { $0.label == "changed" }
    let credential = try keychain.credential(of: found[0])
    let isWhole = credential.secret.isEqual(to: needle.secret())
    expect(isWhole)
    switch try keychain.answer(to: query("needle.example"), where: { _, _ in true }) {
    case .none: Issue.record("no answer")
    case .some: break
    }
  }

  @Test("nothing of a binary password is left either, which is written in base64")
  func binaryResidue() throws {
    let place = Place()
    let needle = Needle(seed: 7)
    try storeBinary(needle, at: place)
    try expect(needle.copies(), is: [])
  }

  private func storeBinary(_ needle: Needle, at place: Place) throws {
    var secret = needle.secret()
    secret.append(0xff)
    try place.keychain().add(item("needle.example"), Credential(secret))
    let keychain = place.keychain()
    let found = try keychain.items(matching: query("needle.example"))
    let credential = try keychain.credential(of: found[0])
    expect(credential.secret.count, is: 41)
  }
}
