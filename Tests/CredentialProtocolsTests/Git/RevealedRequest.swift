import CredentialProtocols
import Keychain
import TestSupport

extension RevealedRequest {
  init(_ lines: String...) throws(KeychainError) {
    try self.init(parsing: joined(lines))
  }
}

func joined(_ lines: [String]) -> [UInt8] {
  lines.flatMap { Array($0.utf8) + [0x0a] }
}

func makeRequest(_ text: [UInt8]) throws(KeychainError) -> GitRequest {
  try Secret(copying: ByteString(text)).withUnsafeBytes { (bytes) throws(KeychainError) in
    try GitRequest(parsing: bytes)
  }
}
