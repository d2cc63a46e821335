import Glibc

/// A source of random bytes. The only one is ``kSecRandomDefault``.
public final class SecRandom: Sendable {
  private init() {}
}

/// A source of random bytes, by its name in C.
public typealias SecRandomRef = SecRandom

/// The system's source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil

/// Writes cryptographically secure random bytes from the kernel (getentropy(3)).
///
/// - Parameters:
///   - rnd: `kSecRandomDefault`.
///   - count: the number of bytes.
///   - bytes: the destination.
/// - Returns: `errSecSuccess`; `errSecParam` if `count` is negative; `errSecIO` if the kernel provides none.
public func SecRandomCopyBytes(
  _ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
  guard count >= 0 else { return errSecParam }
  var done = 0
  while done < count {
    // No call returns more than 256 bytes.
    let length = min(count - done, 256)
    if getentropy(bytes + done, length) != 0 { return errSecIO }
    done += length
  }
  return errSecSuccess
}
