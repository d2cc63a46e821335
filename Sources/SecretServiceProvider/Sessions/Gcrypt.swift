import Bytes
import CGcrypt

/// libgcrypt, which libsecret brings along.
enum Gcrypt {
  private static let isUsable = cgcrypt_start()

  /// Starts the library, once. Traps if it is older than the one that this program was built with.
  static func start() {
    precondition(isUsable, "libgcrypt can't be used")
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as a C function takes them.
  var lent: cgcrypt_bytes { cgcrypt_bytes(start: start, count: count) }
}
