// vault-fixture COUNT [FIRST]: adds COUNT items to the keychain in the XDG folders, in a single write, for tests and
// benchmarks that need a large one. Host N is `hostNNNNNN.example.com`, account `user`, password `password-N`.

import EncryptedFile
import Glibc
import Keychain

func complain(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard let count = numbers.first, count > 0, numbers.count == CommandLine.arguments.count - 1 else {
  complain("usage: vault-fixture COUNT [FIRST]\n")
  exit(64)
}
let first = numbers.count > 1 ? numbers[1] : 0

do throws(KeychainError) {
  let keychain = EncryptedFileKeychain(at: try VaultLocation())
  try keychain.exclusively { () throws(KeychainError) in
    for number in first..<first + count {
      let digits = String(number)
      let padded = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
      let item = Item(
        InternetPassword(
          protocol: "https", server: ByteString("host\(padded).example.com"), account: "user"))
      try keychain.add(item, Credential(password: "password-\(number)"))
    }
  }
} catch {
  complain("vault-fixture: \(error)\n")
  exit(2)
}
