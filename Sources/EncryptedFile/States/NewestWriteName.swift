import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

extension VaultLocation {
  private static let newestWriteStart = ".vault.age.newest-"
  private static let digits = 16
  private static let machineName = "machine"

  /// What the second name of this machine's last write is called in the vault's folder.
  ///
  /// Each machine has a name of its own, so a sync program that carries such a file elsewhere replaces no other
  /// machine's. The machine's state would be no place for it: that has the key, which is to be backed up elsewhere
  /// than the vault.
  ///
  /// It is made of what names the machine: a random number of its state, for containers have no `/etc/machine-id`, and
  /// that, for a copy of a machine has the same state; and of the folder's path, by which homes on one machine differ.
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

  /// Gives the machine a random number in its state, if it has none. Failing to is no reason not to write.
  func nameMachine() {
    guard let state = try? Folder(creating: stateFolder), (try? state.contains(Self.machineName)) == false
    else { return }
    let number = Array(randomHexadecimal(bytes: 8).utf8) + [0x0a]
    try? number.lendingBytes { (number) throws(KeychainError) in
      try state.replace(Self.machineName, with: number, isLasting: false)
    }
  }

  /// Empty where there is none.
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
