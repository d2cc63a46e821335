import Age
import Bytes
import Glibc

extension VaultLocation {
  private static let newestWriteStart = ".vault.age.newest-"
  private static let digits = 16

  /// What the second name of this machine's last write is called in the vault's folder.
  ///
  /// Each machine has a name of its own, so a sync program that carries such a file elsewhere replaces no other
  /// machine's. The machine's state would be no place for it: that has the key, which is to be backed up elsewhere
  /// than the vault.
  ///
  /// - Parameter vaultFolder: the folder's path, by which homes on one machine differ.
  package static func newestWriteName(in vaultFolder: String) -> String {
    // machine-id(5) asks for a keyed hash wherever others can see it.
    withUnsafeTemporaryAllocation(byteCount: KeyDerivation.hashSize, alignment: 1) { hash in
      machineID.withUnsafeBytes { key in
        Array("llavero newest \(vaultFolder)".utf8).withUnsafeBytes { message in
          KeyDerivation.hmacSHA256(key: key, message: message, into: hash)
        }
      }
      return newestWriteStart + hexadecimal(Array(hash.prefix(digits / 2)))
    }
  }

  /// Whether a file of that name is some machine's last write.
  static func isNewestWriteName(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count == newestWriteStart.utf8.count + digits && name.starts(with: newestWriteStart.utf8)
  }

  /// The contents of `/etc/machine-id` (machine-id(5)); empty where there is none, as in a container.
  private static let machineID: [UInt8] = {
    let file = open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }()
}
