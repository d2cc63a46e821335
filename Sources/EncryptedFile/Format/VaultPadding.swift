/// A vault's plaintext is padded, so that the file's size tells little about its contents.
enum VaultPadding {
  /// The smallest plaintext in bytes: a vault with one item looks like one with ten.
  static let floor = 4096

  /// From this size of the plaintext on, in bytes, a vault is laid out for random access. That costs one more chunk on
  /// disk, but an answer takes three chunks, however many there are.
  static let randomAccessThreshold = 256 << 10

  /// The size to fill up to. At most 12 % more than `size`, apart from the floor (Padmé: Nikitin et al., PETS 2019).
  static func paddedSize(_ size: Int) -> Int {
    guard size > floor else { return floor }
    let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
    let kept = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << max(0, exponent - kept)) - 1
    return (size + mask) & ~mask
  }
}
