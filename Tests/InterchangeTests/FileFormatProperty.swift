import Keychain
import Properties

@testable import Interchange

/// The properties of any bytes as a file of another program, for each format.
enum FileFormatProperty: Property {
  /// The formats in which an empty password is valid.
  private static let mayBeEmpty = ["git-credentials", "llavero"]

  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    // Without some of its logins, a file may look like one of another form.
    for format in FileFormat.all {
      let form = (try? SourceText(input))?.lend(of: input) { format.form(of: $0) }
      try check(input, form ?? format)
    }
  }

  private static func check(_ input: UnsafeRawBufferPointer, _ format: FileFormat) throws(PropertyFailure) {
    guard let found = read(Array(input), format) else { return }
    try require(read(Array(input), format)?.shown == found.shown, "\(format.name): it is read alike twice")
    try checkOrigins(found, input, format)
    let removals = try removals(of: found, input, format)

    let emptied = read(remainder(of: input, without: removals), format)
    try require(emptied?.logins.isEmpty ?? true, "\(format.name): without its logins there are none")

    // Logins that stay, among them those whose removal would leave something behind, are unchanged.
    let some = Set(
      found.logins.enumerated().filter { $0.offset % 2 == 0 && $0.element.leftBehind.isEmpty }.flatMap(
        \.element.removals))
    let staying = found.logins.filter { some.isDisjoint(with: $0.removals) }
    if staying.isEmpty { return }
    let rest = remainder(of: input, without: Array(some))
    // What begins with a NUL now looks like UTF-16.
    if rest.prefix(2).contains(0) { return }
    let others = read(rest, format)
    try require(
      others?.logins.map(shown) == staying.map(shown),
      "\(format.name): without some logins the others are there")
  }

  /// Returns `nil` if it isn't in the format. The file itself also serves as its companion. What is made of several logins
  /// for the same depends on all of them, and so is left out.
  private static func read(_ bytes: [UInt8], _ format: FileFormat) -> FoundLogins? {
    lend(bytes) { bytes in try? format.entries(bytes, beside: format.companions.isEmpty ? nil : bytes) }
  }

  private static func checkOrigins(
    _ found: FoundLogins, _ input: UnsafeRawBufferPointer, _ format: FileFormat
  ) throws(PropertyFailure) {
    let lines = input.count { $0 == 0x0a } + 1
    for origin in found.logins.map(\.origin) + found.passedOver.map(\.origin) {
      guard case .line(let number) = origin else { continue }
      try require(1...lines ~= number, "\(format.name): a line is one of the file's")
    }
    for login in found.logins {
      try require(
        !login.credential.secret.isEmpty || !login.credential.further.isEmpty
          || mayBeEmpty.contains(format.name),
        "\(format.name): it has a secret")
      try require(login.item.reference == nil, "\(format.name): it is in no keychain yet")
    }
  }

  /// The removals, without duplicates.
  private static func removals(
    of found: FoundLogins, _ input: UnsafeRawBufferPointer, _ format: FileFormat
  ) throws(PropertyFailure) -> [Removal] {
    for login in found.logins { try require(!login.removals.isEmpty, "\(format.name): a login can go") }
    let removals = Set(found.logins.flatMap(\.removals)).sorted { $0.range.lowerBound < $1.range.lowerBound }
    var end = 0
    for removal in removals {
      try require(removal.range.lowerBound >= end, "\(format.name): what goes doesn't overlap")
      try require(!removal.range.isEmpty, "\(format.name): something goes")
      end = removal.range.upperBound
    }
    let count = (try? SourceText(input))?.lend(of: input) { $0.count } ?? 0
    try require(end <= count, "\(format.name): what goes lies in the text of the file")
    return removals
  }

  private static func remainder(of input: UnsafeRawBufferPointer, without removals: [Removal]) -> [UInt8] {
    guard let source = try? SourceText(input) else { return Array(input) }
    let rest = source.file(input, after: Set(removals))
    return rest.withUnsafeBytes { Array($0) }
  }

  fileprivate static func shown(_ login: FoundLogin) -> String {
    let secret = login.credential.secret.withUnsafeBytes { Array($0) }
    return "\(login.item) \(secret) \(login.leftBehind)"
  }
}

extension FoundLogins {
  /// Everything that can be compared.
  fileprivate var shown: [String] {
    logins.map { "\(FileFormatProperty.shown($0)) \($0.origin) \($0.removals)" }
      + passedOver.map { "\($0.origin) \($0.reason)" }
  }
}
