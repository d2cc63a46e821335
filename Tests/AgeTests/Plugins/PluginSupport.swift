import Age
import Glibc
import Synchronization
import TestSupport
import Testing

/// The tests' own plugin in a fresh folder, which is the whole search path.
struct TestPlugin {
  let folder: TemporaryFolder
  let name: String

  /// With a name other than `test` it misbehaves in the way of that name before it reads anything.
  init(name: String = "test") throws {
    folder = TemporaryFolder()
    self.name = name
    let source = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    guard symlink("/\(source)/age-plugin-test", folder["age-plugin-\(name)"]) == 0 else {
      throw Failure("cannot make a link to age-plugin-test")
    }
  }

  func settings(
    limit: Duration = .seconds(60), attended: Duration? = .seconds(60),
    interaction: any PluginInteraction = PluginSilence()
  ) -> PluginSettings {
    PluginSettings(
      searchPath: folder.path, timeLimit: limit, attendedTimeLimit: attended, standardError: .discarded,
      interaction: interaction)
  }

  /// A recipient with which the plugin behaves as `mode` says.
  func recipient(_ mode: String, _ settings: PluginSettings? = nil) throws -> PluginRecipient {
    try ascii(Self.recipientText(mode, name: name)).withUnsafeBytes {
      try PluginRecipient(parsing: $0, settings: settings ?? self.settings())
    }
  }

  func identity(_ mode: String, _ settings: PluginSettings? = nil) throws -> PluginIdentity {
    try ascii(Self.identityText(mode, name: name)).withUnsafeBytes {
      try PluginIdentity(parsing: $0, settings: settings ?? self.settings())
    }
  }

  static func recipientText(_ mode: String, name: String = "test") -> String {
    bech32("age1\(name)", ascii(mode))
  }

  static func identityText(_ mode: String, name: String = "test") -> String {
    bech32("age-plugin-\(name)-", ascii(mode)).uppercased()
  }

  /// Whether the last plugin is gone, and is not a zombie.
  func isGone() throws -> Bool {
    let text = String(decoding: try contents(of: folder["pid"]), as: UTF8.self)
    guard let process = pid_t(text) else { throw Failure("the plugin left no process id: \(text)") }
    return kill(process, 0) == -1 && errno == ESRCH
  }
}

/// Bech32 with any prefix (BIP 173), implemented differently from the library.
func bech32(_ prefix: String, _ data: [UInt8]) -> String {
  let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
  func polymod(_ values: [UInt32]) -> UInt32 {
    let generators: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
    return values.reduce(1) { sum, value in
      generators.enumerated().reduce((sum & 0x1FF_FFFF) << 5 ^ value) {
        sum >> (25 + UInt32($1.offset)) & 1 == 1 ? $0 ^ $1.element : $0
      }
    }
  }
  var bits = data.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
  while bits.count % 5 != 0 { bits.append(0) }
  let values = stride(from: 0, to: bits.count, by: 5).map { start in
    bits[start..<start + 5].reduce(UInt32(0)) { $0 << 1 | UInt32($1) }
  }
  let letters = prefix.utf8.map(UInt32.init)
  let expanded = letters.map { $0 >> 5 } + [0] + letters.map { $0 & 31 }
  let sum = polymod(expanded + values + [0, 0, 0, 0, 0, 0]) ^ 1
  let checksum = (0..<6).map { sum >> (25 - 5 * UInt32($0)) & 31 }
  return prefix + "1" + String((values + checksum).map { alphabet[Int($0)] })
}

/// A user who answers everything and remembers the questions.
final class Person: PluginInteraction {
  private let seen = Mutex<[String]>([])
  let pin: String

  init(pin: String = "123456") { self.pin = pin }

  var log: [String] { seen.withLock { $0 } }

  func show(_ message: String, from plugin: String) -> Bool {
    seen.withLock { $0.append("\(plugin) shows \(message)") }
    return true
  }

  func confirm(_ message: String, yes: String, no: String?, from plugin: String) -> Bool? {
    seen.withLock { $0.append("\(plugin) lets choose \(message) \(yes) \(no ?? "-")") }
    return no != nil
  }

  func requestPublic(_ message: String, from plugin: String) -> String? {
    seen.withLock { $0.append("\(plugin) asks \(message)") }
    return "Ælfgifu"
  }

  func requestSecret(_ message: String, from plugin: String, answer: (UnsafeRawBufferPointer) -> Void) {
    seen.withLock { $0.append("\(plugin) asks secretly \(message)") }
    ascii(pin).withUnsafeBytes { answer($0) }
  }
}

/// The seconds that something took.
func seconds(_ body: () -> Void) -> Double {
  let start = ContinuousClock.now
  body()
  let (seconds, attoseconds) = (ContinuousClock.now - start).components
  return Double(seconds) + Double(attoseconds) / 1e18
}
