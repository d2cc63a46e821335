public import Bytes
import CNettle

/// A one-time code.
public struct OneTimeCode: ~Copyable {
  /// The code: digits, or Steam's letters and digits.
  public let text: Secret
  /// For how many seconds it is valid, at least 1; `nil` for one that is valid until it is used.
  public let secondsLeft: Int64?
}

extension OneTimeCodeSecret {
  /// The code for this time, or the next one with a counter.
  public borrowing func code(at now: Timestamp) -> OneTimeCode {
    switch moving {
    case .counter(let counter): return OneTimeCode(text: code(counter), secondsLeft: nil)
    case .time(let period):
      let seconds = max(now.seconds, 0)
      return OneTimeCode(text: code(UInt64(seconds / period)), secondsLeft: period - seconds % period)
    }
  }

  /// The code for a value of the moving factor (RFC 4226 section 5.3).
  private borrowing func code(_ factor: UInt64) -> Secret {
    var digest = Secret(uninitialized: Int(CNETTLE_LONGEST))
    let size = digest.withUnsafeMutableBytes { output in
      key.withUnsafeBytes { key in
        withUnsafeBytes(of: factor.bigEndian) { message in
          cnettle_hmac(
            hash, key.baseAddress, key.count, message.baseAddress, message.count,
            output.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    var number = digest.withUnsafeBytes { bytes in
      let offset = Int(bytes[size - 1] & 0x0f)
      return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian & 0x7fff_ffff
    }
    var text = Secret()
    switch form {
    case .digits(let count):
      var divisor: UInt32 = 1
      for _ in 1..<count { divisor *= 10 }
      for _ in 0..<count {
        text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
        divisor /= 10
      }
    case .steam:
      let alphabet = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)
      for _ in 0..<5 {
        text.append(alphabet[Int(number) % alphabet.count])
        number /= UInt32(alphabet.count)
      }
    }
    return text
  }

  private var hash: cnettle_hash {
    switch algorithm {
    case .sha1: CNETTLE_SHA1
    case .sha256: CNETTLE_SHA256
    case .sha512: CNETTLE_SHA512
    }
  }
}
