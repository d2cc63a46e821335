import KeychainChoice

extension DurationText {
  /// A number of seconds in words, rounded down to its two largest units: 7 h 59 min.
  static func text(_ seconds: Int) -> String {
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
    // Of minutes, seconds are of no interest.
    let last = first == 2 ? first : first + 1
    return parts[first...min(last, 3)].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
