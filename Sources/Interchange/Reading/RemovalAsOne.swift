extension FoundLogins {
  /// Reads logins that can leave their file only together, if that takes nothing else from it.
  ///
  /// - Parameter read: reads the file, either so that all of its logins have one removal, or each its own.
  static func asOne(
    _ read: (_ asOne: Bool) throws(FormatFault) -> FoundLogins
  ) throws(FormatFault) -> FoundLogins {
    let apart = try read(false)
    // Of two for the same, both may be skipped.
    let areDistinct = Set(apart.logins.map(\.primaryKey)).count == apart.logins.count
    return apart.passedOver.isEmpty && areDistinct ? try read(true) : apart
  }
}
