import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Makes a vault.
  ///
  /// - Parameters:
  ///   - protection: what opens it.
  ///   - startingOver: whether it is made though there was another one, which is missing. What is left of that is put
  ///     aside, and nothing of it is removed.
  /// - Returns: the folders in which that now is; none if there was nothing.
  /// - Throws: `KeychainError.duplicateItem` if there is one already; `KeychainError.missing` and `.elsewhere` if there was
  ///   one and this is not to start over, and `.elsewhere` also where that one is in its place; what writing throws.
  @discardableResult
  public func create(
    _ protection: borrowing Protection, startingOver: Bool = false
  ) throws(KeychainError) -> [String] {
    // Before anything is made or moved.
    if try openVault() != nil { throw .duplicateItem }
    try refuseToMake(startingOver: startingOver)
    let locked = try lockFolder(patience: patience)
    if try openVault() != nil { throw .duplicateItem }
    try refuseToMake(startingOver: startingOver)
    let aside = startingOver ? try VaultTraces.putAside(at: location, in: locked.folder) : []
    let change = try VaultChange(nil, locked, unlocking: unlocking)
    try change.make(protection)
    try change.commit(at: clock())
    key = change.key
    snapshot = nil
    return aside
  }

  private func refuseToMake(startingOver: Bool) throws(KeychainError) {
    guard let absence = try absence() else { return }
    if !startingOver { throw absence }
    // What would be put aside may be what opens a vault that is in its place.
    let traces = try VaultTraces(at: location, remembered: remembered)
    if let other = traces.placeInUse { throw .elsewhere(path: location.vaultFile, known: other) }
  }

  /// Why it is an error that there is no vault; `nil` if there never was one, as far as this machine knows.
  func absence() throws(KeychainError) -> KeychainError? {
    // This very object has opened one.
    if key != nil { return .missing(path: location.vaultFile) }
    return try VaultTraces(at: location, remembered: remembered).absence
  }
}

/// What a vault has left on this machine besides its file.
///
/// All of it is made after the vault has got its place, but the identity under its provisional name. So whoever sees any of
/// it and no vault knows that one is missing, and not that it is just being made.
struct VaultTraces {
  private let path: String
  /// Whether something of a vault is there of which it isn't known where that was, or that it was here.
  private var isHere = false
  /// Other places where there was one.
  private var elsewhere: [String] = []

  private static let inState = [VaultLocation.identityName, VaultLocation.slotsName]

  /// Looks for it.
  ///
  /// - Parameter remembered: where there was a vault, as is remembered otherwise. What was seen last tells more.
  /// - Throws: ``KeychainError`` if it can't be told.
  init(at location: VaultLocation, remembered: () -> String?) throws(KeychainError) {
    path = location.vaultFile
    if let folder = try Folder(opening: location.vaultFolder) {
      for name in try Self.nearVault(in: folder) where try folder.contains(name) { isHere = true }
    }
    var places: [String?] = []
    var hasFurther = false
    if let state = try Folder(opening: location.stateFolder) {
      places = try SeenGeneration.places(in: state)
      for name in Self.inState where try state.contains(name) { hasFurther = true }
    }
    var known = places.compactMap { $0 }
    if known.isEmpty, let remembered = remembered() { known = [remembered] }
    if known.contains(path) { isHere = true }
    elsewhere = known.filter { $0 != path }
    // What doesn't say where the vault was is of one that is known, or of one that may have been here.
    if known.isEmpty, hasFurther { isHere = true }
    if places.contains(nil), placeInUse == nil { isHere = true }
  }

  /// Where there is a vault; `nil` if there is none at any place that is known.
  var placeInUse: String? { elsewhere.first(where: FileStatus.isThere) }

  /// Why it is an error that there is no vault here; `nil` if there is nothing.
  var absence: KeychainError? {
    if isHere { return .missing(path: path) }
    guard let known = placeInUse ?? elsewhere.first else { return nil }
    return .elsewhere(path: path, known: known)
  }

  /// What may be near a vault.
  private static func nearVault(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    try [VaultLocation.slotsName, Generations.folderName] + ConflictCopies.names(in: folder)
      + folder.names(where: VaultLocation.isNewestWriteName)
  }

  /// Puts it into new folders beside it. Needs the vault's lock.
  ///
  /// - Returns: their paths.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``. Then some of it may be there still, and a vault is missing
  ///   as before.
  static func putAside(at location: VaultLocation, in folder: borrowing Folder) throws(KeychainError)
    -> [String]
  {
    let name = newFolderName()
    var aside: [String] = []
    if try put(nearVault(in: folder), of: folder, into: folder.path(of: name)) {
      aside.append(folder.path(of: name))
    }
    if let state = try Folder(opening: location.stateFolder) {
      let seen = try state.names(where: SeenGeneration.isFileName)
      if try put(inState + [VaultLocation.newIdentityName] + seen, of: state, into: state.path(of: name)) {
        aside.append(state.path(of: name))
      }
    }
    return aside
  }

  /// What a folder is called for what is put aside.
  static func newFolderName() -> String { "former-" + randomHexadecimal(bytes: 4) }

  /// Puts files of a folder into another one, which is made if it isn't there.
  ///
  /// - Returns: whether there was anything to put there.
  static func put(
    _ names: [String], of folder: borrowing Folder, into path: String
  ) throws(KeychainError) -> Bool {
    var present: [String] = []
    for name in names where try folder.contains(name) { present.append(name) }
    if present.isEmpty { return false }
    let aside = try Folder(creating: path)
    for name in present where renameat(folder.descriptor, name, aside.descriptor, name) != 0 {
      throw .system(operation: "put aside", path: folder.path(of: name), errno: errno)
    }
    try aside.synchronize()
    try folder.synchronize()
    return true
  }
}
