import Age

package enum RandomNumber {
  /// A uniformly distributed number, cryptographically random, from 0 to `bound - 1`; `bound` is from 1 to 2^32 - 1.
  package static func below(_ bound: Int) -> Int {
    precondition(bound > 0, "there is no number below \(bound)")
    return Int(Sodium.randomNumber(below: UInt32(bound)))
  }
}
