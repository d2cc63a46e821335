import Bytes

/// The noted ancestors of a generation: its predecessors and those of merged copies. Stored as the member `past` of
/// the vault's first line, each as `NUMBER-MAC`, like the names of kept files, highest number first.
struct Past {
  static let limit = 32

  private var entries: [(number: Int64, mac: String)] = []

  init() {}

  /// Reads the member's value. Any other form counts as an empty list.
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

  /// The number of noted hexadecimal digits of a header's MAC.
  private static let digits = 8

  static func start(of mac: [UInt8]) -> String {
    hexadecimal(Array(mac.prefix(digits / 2)))
  }

  var isEmpty: Bool { entries.isEmpty }
  var text: String { entries.map { "\($0.number)-\($0.mac)" }.joined(separator: " ") }

  func contains(_ mac: [UInt8]) -> Bool {
    let mac = Self.start(of: mac)
    return entries.contains { $0.mac == mac }
  }

  func contains(_ generation: SeenGeneration) -> Bool {
    entries.contains {
      $0.number == generation.number && $0.mac.utf8.elementsEqual(generation.mac.prefix(Self.digits))
    }
  }

  /// Whether the other list has all generations of this one.
  func isWithin(_ other: Past) -> Bool {
    entries.allSatisfy { entry in other.entries.contains { $0 == entry } }
  }

  func reaches(_ number: Int64) -> Bool { entries.last.map { $0.number <= number } ?? false }

  mutating func insert(_ generation: SeenGeneration) {
    insert([(generation.number, String(decoding: generation.mac.prefix(Self.digits), as: UTF8.self))])
  }

  mutating func insert(_ generation: Generation) {
    insert([(generation.number, String(generation.name.dropLast(4).suffix(Self.digits)))])
  }

  mutating func formUnion(_ other: Past) {
    // A full list lacks some generations before its last entry.
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
  var past: Past {
    get {
      // A value that is no string counts as empty.
      Past(String(decoding: rawPast.dropFirst().dropLast(), as: UTF8.self))
    }
    set { rawPast = newValue.isEmpty ? [] : Array("\"\(newValue.text)\"".utf8) }
  }

  /// Whether this generation comes from the one with this header MAC, as far as noted.
  func comes(from mac: [UInt8]) -> Bool { previous == mac || past.contains(mac) }
}
