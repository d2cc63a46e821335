import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("The work of a new passphrase") struct ScryptWorkTests {
  /// Of a machine on which 2^14 takes this many milliseconds.
  private func factor(taking milliseconds: Int, available: Int?) throws(KeychainError) -> Int {
    try ScryptWork.ofPeople.factor(available: available) { logN in milliseconds << (logN - 14) }
  }

  @Test("takes about a second on this machine, within its bounds")
  func speed() throws {
    for (milliseconds, expected) in [(1, 20), (15, 20), (16, 19), (31, 19), (32, 18), (63, 17), (1000, 17)] {
      try expect(factor(taking: milliseconds, available: nil), is: expected, "\(milliseconds) ms")
    }
  }

  @Test("is less where memory is short, and none where there isn't enough for the least")
  func memory() throws {
    for (available, expected) in [(1024, 20), (1023, 19), (128, 17), (127, 16), (63, 15), (32, 15)] {
      try expect(factor(taking: 1, available: available), is: expected, "\(available) MiB")
    }
    expect(
      failure { try factor(taking: 1, available: 31) }, is: .notEnoughMemory(needed: 32, available: 31))
  }

  @Test("is less for a recovery code, so that it is told from a passphrase's")
  func recoveryCode() {
    for work in [ScryptWork.ofPeople, .current] {
      expect(work.recoveryCode <= work.least && work.recoveryCode < work.passphrase.lowerBound)
    }
  }
}
