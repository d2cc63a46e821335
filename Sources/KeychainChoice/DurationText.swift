import EncryptedFile

/// A duration as people write it, such as 90s, 15m, 8h or 2d.
package enum DurationText {
  /// The number of seconds in a text.
  ///
  /// - Parameter name: the name of the option or variable, for the error.
  /// - Throws: ``KeychainChoiceError/unusableSetting(name:_:)`` if it is not a duration, or not between a second and 30
  ///   days.
  package static func seconds(_ text: String, of name: String) throws(KeychainChoiceError) -> Int {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), text.dropLast().utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let number = Int(text.dropLast()), number <= UnlockLimits.bounds.upperBound,
      UnlockLimits.bounds ~= number * unit
    else { throw .unusableSetting(name: name, .noDuration) }
    return number * unit
  }

  /// A number of seconds in words, rounded down to its two largest units: 7 h 59 min.
  package static func text(_ seconds: Int) -> String {
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
    // With minutes, the seconds don't matter.
    let last = first == 2 ? first : first + 1
    return parts[first...min(last, 3)].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
