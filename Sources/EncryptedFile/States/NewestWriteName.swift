import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

extension VaultLocation {
  private static let newestWriteStart = ".vault.age.newest-"
  private static let digits = 16
  private static let machineName = "machine"

  /// The name of the copy of this machine's last write in the vault's folder.
  ///
  /// Each machine has its own name, so that a sync program which carries such a file elsewhere doesn't replace another
  /// machine's. The state folder would be the wrong place: it contains the key, which must not be backed up together
  /// with the vault.
  ///
  /// The name is derived from a random number in the machine's state, because containers have no `/etc/machine-id`;
  /// the machine ID, because a copied machine has the same state; and the folder's path, which distinguishes homes on
  /// one machine.
  package var newestWriteName: String {
    // machine-id(5) asks for a keyed hash wherever others can see it.
    withUnsafeTemporaryAllocation(byteCount: KeyDerivation.hashSize, alignment: 1) { hash in
      Self.machineID.withUnsafeBytes { key in
        Array("llavero newest \(machineNumber) \(vaultFolder)".utf8).withUnsafeBytes { message in
          KeyDerivation.hmacSHA256(key: key, message: message, into: hash)
        }
      }
      return Self.newestWriteStart + hexadecimal(Array(hash.prefix(Self.digits / 2)))
    }
  }

  /// Stores a random number in the machine's state if there is none. Ignores failures, which must not prevent a write.
  func nameMachine() {
    guard let state = try? Folder(creating: stateFolder), (try? state.contains(Self.machineName)) == false
    else { return }
    let number = Array(newDigits().utf8) + [0x0a]
    try? number.lendingBytes { (number) throws(KeychainError) in
      try state.replaceForNow(Self.machineName, with: number)
    }
  }

  /// The random number of this machine; empty if there is none.
  private var machineNumber: String {
    guard let state = try? Folder(opening: stateFolder), let file = try? state.file(Self.machineName),
      let number = try? file.contents(limit: 64)
    else { return "" }
    return number.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0x0a }, as: UTF8.self) }
  }

  /// Whether a file of that name is some machine's last write.
  static func isNewestWriteName(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count == newestWriteStart.utf8.count + digits && name.starts(with: newestWriteStart.utf8)
  }

  /// The contents of `/etc/machine-id` (machine-id(5)); empty if there is none, as in a container.
  private static let machineID: [UInt8] = {
    let file = open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }()
}
