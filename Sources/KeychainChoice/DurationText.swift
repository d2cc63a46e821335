import UnlockCache

/// A time as a person writes it, such as 90s, 15m, 8h or 2d.
package enum DurationText {
  /// The seconds of a text.
  ///
  /// - Parameter name: the option or variable, for the error.
  /// - Throws: ``KeychainChoiceError/unusableSetting(name:_:)`` if it is no such time, or not from a second to 30 days.
  package static func seconds(_ text: String, of name: String) throws(KeychainChoiceError) -> Int {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), text.dropLast().utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let number = Int(text.dropLast()), number <= UnlockLimits.bounds.upperBound,
      UnlockLimits.bounds ~= number * unit
    else { throw .unusableSetting(name: name, .noDuration) }
    return number * unit
  }
}
