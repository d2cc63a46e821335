import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Putting a vault back where another one was copied over it")
struct PuttingBackOverAnotherTests {
  @Test("what the identity file opens is put back, not the other one's states", arguments: [true, false])
  func another(isThere: Bool) throws {
    let (place, other) = (Place(), Place())
    for number in 0..<3 { try place.keychain().add(servers: ["a\(number).example"]) }
    for number in 0..<5 { try other.keychain().add(servers: ["b\(number).example"]) }
    let (folder, otherFolder) = (place.location.vaultFolder, other.location.vaultFolder)
    for name in names(in: otherFolder + "/generations") {
      rename(otherFolder + "/generations/" + name, folder + "/generations/" + name)
    }
    rename(other.newestWrite, place.newestWrite)
    if isThere { rename(other.vault, place.vault) } else { unlink(place.vault) }
    let error: KeychainError =
      isThere ? .wrongIdentity(path: place.identityFile) : .missing(path: place.vault)
    expect(failure { try place.keychain().servers() }, is: error)
    let salvage = try place.keychain().salvage { _ in true }
    expect(salvage.base?.number, is: 2)
    try expect(place.keychain().servers(), is: ["a0.example", "a1.example"])
    expect(names(in: folder + "/generations").contains { $0.hasPrefix("unreadable-") }, is: isThere)
  }
}
