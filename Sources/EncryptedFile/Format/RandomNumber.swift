import Age

/// Numbers from the system's cryptographic generator.
package enum RandomNumber {
  /// A uniformly distributed number from 0 to `bound - 1`. Bounds: `bound` from 1 to 2^32 - 1.
  package static func below(_ bound: Int) -> Int {
    precondition(bound > 0, "there is no number below \(bound)")
    return Int(Sodium.randomNumber(below: UInt32(bound)))
  }
}
