import Bytes
import CLinux
import Glibc
import Keychain

/// Sixteen hexadecimal digits for a name that nothing has yet. They are random, but nobody may rely on it: where the kernel
/// has no random number, they come from the time and the process.
///
/// The standard library and libsodium end the process there, when the vault may be in its place already.
package func newDigits() -> String {
  var number: UInt64 = 0
  if getentropy(&number, MemoryLayout.size(ofValue: number)) != 0 {
    number = UInt64(bitPattern: Timestamp.now.milliseconds) << 22 ^ UInt64(getpid())
  }
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
