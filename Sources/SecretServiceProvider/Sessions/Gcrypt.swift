import Bytes
import CGcrypt

/// libgcrypt, which libsecret depends on anyway.
enum Gcrypt {
  private static let isUsable = cgcrypt_start()

  /// Initializes the library, once. Traps if it is older than the one at build time.
  static func start() {
    precondition(isUsable, "libgcrypt can't be used")
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as a C function takes them.
  var lent: cgcrypt_bytes { cgcrypt_bytes(start: start, count: count) }
}
