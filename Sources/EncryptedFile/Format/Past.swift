import Bytes

/// The generations that one comes from, its own predecessors and those of the copies that were merged into it, as far as
/// they are noted: the member `past` of its first line.
///
/// Each is there as `NUMBER-MAC`, as the files are called that are kept of them; the highest number comes first.
struct Past {
  /// How many are noted.
  static let limit = 32

  private var entries: [(number: Int64, mac: String)] = []

  init() {}

  /// Reads the member's value. What isn't of this form is as if nothing were noted.
  init(_ text: String) {
    for part in text.split(separator: " ") {
      guard let dash = part.firstIndex(of: "-"), let number = Int64(part[..<dash]),
        part[dash...].utf8.count == 1 + Self.digits
      else {
        entries = []
        return
      }
      insert([(number, String(part[dash...].dropFirst()))])
    }
  }

  /// The digits that are noted of a header's MAC.
  private static let digits = 8

  /// The beginning of a MAC in small hexadecimal digits.
  static func start(of mac: [UInt8]) -> String {
    hexadecimal(Array(mac.prefix(digits / 2)))
  }

  var isEmpty: Bool { entries.isEmpty }
  var text: String { entries.map { "\($0.number)-\($0.mac)" }.joined(separator: " ") }

  /// Whether the generation with a header of that MAC is noted.
  func contains(_ mac: [UInt8]) -> Bool {
    let mac = Self.start(of: mac)
    return entries.contains { $0.mac == mac }
  }

  func contains(_ generation: SeenGeneration) -> Bool {
    entries.contains {
      $0.number == generation.number && $0.mac.utf8.elementsEqual(generation.mac.prefix(Self.digits))
    }
  }

  /// Whether every generation from that number on would be noted.
  func reaches(_ number: Int64) -> Bool { entries.last.map { $0.number <= number } ?? false }

  mutating func insert(_ generation: SeenGeneration) {
    insert([(generation.number, String(decoding: generation.mac.prefix(Self.digits), as: UTF8.self))])
  }

  /// Notes the generation of a file that is kept.
  mutating func insert(_ generation: Generation) {
    insert([(generation.number, String(generation.name.dropLast(4).suffix(Self.digits)))])
  }

  mutating func formUnion(_ other: Past) {
    // Of those before the last one of a full list some are missing.
    let start = max(earliest, other.earliest)
    insert(other.entries)
    entries.removeAll { $0.number < start }
  }

  private var earliest: Int64 { entries.count < Self.limit ? 0 : entries.last?.number ?? 0 }

  private mutating func insert(_ new: [(number: Int64, mac: String)]) {
    for entry in new where !entries.contains(where: { $0 == entry }) {
      let place = entries.firstIndex { $0.number < entry.number } ?? entries.endIndex
      entries.insert(entry, at: place)
    }
    if entries.count > Self.limit { entries.removeLast(entries.count - Self.limit) }
  }
}

extension VaultHead {
  /// What is noted of the generations that this one comes from.
  var past: Past {
    get {
      // What is no string isn't of its form, and noted as nothing.
      Past(String(decoding: rawPast.dropFirst().dropLast(), as: UTF8.self))
    }
    set { rawPast = newValue.isEmpty ? [] : Array("\"\(newValue.text)\"".utf8) }
  }

  /// Whether it comes from the generation with a header of that MAC, as far as is noted.
  func comes(from mac: [UInt8]) -> Bool { previous == mac || past.contains(mac) }

  /// Whether it would be noted if it came from a generation of that number. Versions that don't know of it leave what is
  /// noted as it was.
  func tellsWhetherItComes(from number: Int64) -> Bool {
    let past = past
    return past.contains(previous) && past.reaches(number)
  }
}
