import Bytes
import CLinux
import Glibc
import Keychain

/// Sixteen hexadecimal digits for a new name. They are random, but nobody may rely on it: without a random number from
/// the kernel they come from the time and the process. The standard library and libsodium would end the process then,
/// when the vault may already be in place.
package func newDigits() -> String {
  var number: UInt64 = 0
  if getentropy(&number, MemoryLayout.size(ofValue: number)) != 0 {
    number = UInt64(bitPattern: Timestamp.now.milliseconds) << 22 ^ UInt64(getpid())
  }
  return hexadecimal(number)
}
