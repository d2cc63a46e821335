import Age
import Expectations
import Glibc
import Keychain
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Damaged vaults")
struct VaultDamageTests {
  /// Places in that many bytes: all of them in the long form.
  private static func some(_ count: Int) -> [Int] {
    Array(stride(from: 0, to: count, by: isLongForm ? 1 : 3))
  }

  private func isDamage(_ error: KeychainError?) -> Bool {
    switch error {
    // A header with a damaged wrapped key looks like one for another identity, and if there is a slot, the right
    // identity may come out of that.
    case .damaged, .wrongIdentity, .newerFormat, .locked: true
    default: false
    }
  }

  @Test("a small vault cut short anywhere is an error, never empty")
  func truncation() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example", "b.example"])
    let whole = try contents(of: place.vault)
    for count in Self.some(whole.count) {
      truncate(place.vault, count)
      if !isDamage(failure { try place.keychain().items(matching: query("a.example")) }) {
        Issue.record("\(count) of \(whole.count) bytes")
      }
      if count % 97 == 0 {
        expect(failure { try place.keychain().add(servers: ["c.example"]) } != nil)
        try expect(contents(of: place.vault).elementsEqual(whole[..<count]))
      }
      try put(whole, into: place.vault)
    }
  }

  @Test("a small vault with any byte changed is an error, never empty")
  func flips() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example", "b.example"])
    try flip(at: place, Self.some(contents(of: place.vault).count))
  }

  @Test("a vault with a slot and any byte of its header changed is an error")
  func slotFlips() throws {
    let (place, header) = try placeWithSlot()
    try flip(at: place, Array(0..<header + PayloadLayout.nonceSize))
  }

  /// A vault that its identity opens, and the passphrase `right`; and the size of its header.
  private func placeWithSlot() throws -> (Place, header: Int) {
    let place = Place()
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza(), try vault.slot("right")]
    try vault.install(at: place)
    return (place, try contents(of: place.vault).withUnsafeBytes { try Header(parsing: $0) }.encodedSize)
  }

  private func flip(at place: Place, _ positions: [Int]) throws {
    let whole = try contents(of: place.vault)
    let file = open(place.vault, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    var numbers = SeededGenerator(seed: 9)
    for position in positions {
      var changed = whole[position] ^ UInt8(1 << Int.random(in: 0..<8, using: &numbers))
      pwrite(file, &changed, 1, position)
      if !isDamage(failure { try place.keychain().items(matching: query("a.example")) }) {
        Issue.record("byte \(position)")
      }
      if position % 97 == 0 {
        expect(failure { try place.keychain().add(servers: ["c.example"]) } != nil)
        var expected = whole
        expected[position] = changed
        try expect(contents(of: place.vault), is: expected)
      }
      var right = whole[position]
      pwrite(file, &right, 1, position)
    }
    expect(failure { try place.keychain().servers() }, is: nil)
  }

  @Test("a vault that is cut while somebody types its passphrase can't be read, and isn't called damaged")
  func cutMeanwhile() throws {
    let (place, header) = try placeWithSlot()
    unlink(place.identityFile)
    let keychain = EncryptedFileKeychain(
      at: place.location,
      passphrase: { _ in
        truncate(place.vault, header + PayloadLayout.nonceSize + 100)
        return Secret("right")
      })
    expect(failure { try keychain.servers() }, is: .system(operation: "read", path: place.vault, errno: EIO))
  }

  @Test("bytes behind the end are an error")
  func extended() throws {
    let place = try Place.filled()
    let whole = try contents(of: place.vault)
    for tail in [[0], [0x0a], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 7, count: 70_000), whole] {
      try put(whole + tail, into: place.vault)
      expect(isDamage(failure { try place.keychain().servers() }))
    }
  }

  @Test("a large vault cut or changed anywhere gives the right answer or an error, never an empty one")
  func large() throws {
    let place = Place()
    let servers = (0..<1500).map { "h\($0).example" }
    try place.keychain().add(servers: servers)
    let whole = try contents(of: place.vault)
    let header = try whole.withUnsafeBytes { try Header(parsing: $0) }.encodedSize
    var numbers = SeededGenerator(seed: 10)
    func check(_ what: String) {
      let server = servers.randomElement(using: &numbers) ?? servers[0]
      let keychain = place.keychain()
      do {
        let found = try keychain.items(matching: query(server))
        let secret: String? = try found.first.map { try keychain.secret(of: $0) }
        if secret != "secret-" + server {
          Issue.record("\(what): \(server) is silently \(secret ?? "missing")")
        }
      } catch {
        if !isDamage(error as? KeychainError) { Issue.record("\(what): \(error)") }
      }
      if !isDamage(failure { try place.keychain().servers() }) { Issue.record("\(what): the list") }
    }
    for round in 0..<(isLongForm ? 150 : 60) {
      let position =
        round < 20
        ? header + 16 + round * 65552 % (whole.count - header - 16)
        : Int.random(in: 0..<whole.count, using: &numbers)
      var changed = whole
      changed[position] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
      try put(changed, into: place.vault)
      check("byte \(position)")
    }
    for round in 0..<60 {
      let chunks = round % 6
      let count =
        round < 30
        ? header + 16 + chunks * 65552 + [0, 1, 15, 16, 17][round / 6]
        : Int.random(in: 0..<whole.count, using: &numbers)
      if count >= whole.count { continue }
      try put(Array(whole[..<count]), into: place.vault)
      check("cut to \(count)")
    }
    // Chunks in another order, and one missing.
    let payload = header + 16
    func chunk(_ number: Int) -> ArraySlice<UInt8> {
      whole[payload + number * 65552..<min(payload + (number + 1) * 65552, whole.count)]
    }
    try put(
      whole[..<payload] + chunk(0) + chunk(2) + chunk(1) + whole[(payload + 3 * 65552)...], into: place.vault)
    check("exchanged chunks")
    try put(whole[..<payload] + chunk(0) + whole[(payload + 2 * 65552)...], into: place.vault)
    check("a chunk left out")
  }

  @Test("an older generation's payload under a newer header, or the other way, is an error")
  func mixed() throws {
    let place = Place()
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example"])
    let old = try contents(of: place.vault)
    try keychain.add(servers: ["b.example"])
    let new = try contents(of: place.vault)
    let size = try old.withUnsafeBytes { try Header(parsing: $0) }.encodedSize
    for mix in [old[..<size] + new[size...], new[..<size] + old[size...]] {
      try put(Array(mix), into: place.vault)
      expect(isDamage(failure { try place.keychain().servers() }))
    }
  }
}
