import Bytes
import CNettle
import Keychain

extension Secret {
  /// Reveals a secret obscured by rclone: AES-256 in counter mode with a key from its source, and an initial counter of
  /// 16 bytes before the text, all in Base64 for URLs (rclone, `fs/config/obscure`). `rclone reveal` would take it as
  /// an argument, where every user of the machine sees it. Returns `nil` if it isn't obscured.
  init?(obscuredByRclone text: UnsafeRawBufferPointer) {
    guard case .some(let bytes) = Base64URL.decode(text) else { return nil }
    if bytes.count < Self.counter { return nil }
    var plain = Secret(capacity: bytes.count)
    let length = bytes.count - Self.counter
    bytes.withUnsafeBytes { bytes in
      plain.append(count: length) { output in
        cnettle_aes256_ctr(
          Self.key, bytes.baseAddress, length, output.baseAddress, bytes.baseAddress.map { $0 + Self.counter }
        )
        return length
      }
    }
    self = plain
  }

  private static let counter = 16
  private static let key: [UInt8] = [
    0x9c, 0x93, 0x5b, 0x48, 0x73, 0x0a, 0x55, 0x4d, 0x6b, 0xfd, 0x7c, 0x63, 0xc8, 0x86, 0xa9, 0x2b, 0xd3,
    0x90,
    0x19, 0x8e, 0xb8, 0x12, 0x8a, 0xfb, 0xf4, 0xde, 0x16, 0x2b, 0x8b, 0x95, 0xf6, 0x38,
  ]
}
