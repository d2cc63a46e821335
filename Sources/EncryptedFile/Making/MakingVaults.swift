import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Makes a vault.
  ///
  /// - Parameters:
  ///   - protection: what opens it.
  ///   - startingOver: whether to make a vault even though another one is missing. That one's traces are moved
  ///     aside; none is removed.
  /// - Returns: the folders with the traces; empty if there were none.
  /// - Throws: `KeychainError.duplicateItem` if there is a vault already; `KeychainError.missing` and `.elsewhere`
  ///   if there was one and `startingOver` is false; `.elsewhere` also if the vault elsewhere is still in its place;
  ///   `.missing` also if the home folder doesn't exist; `.unsafeFile` if root would make it in somebody else's home;
  ///   what writing throws.
  @discardableResult
  public func create(
    _ protection: borrowing Protection, startingOver: Bool = false
  ) throws(KeychainError) -> [String] {
    try create(protection, startingOver: startingOver, isShared: false)
  }

  /// The same for a vault shared by machines or people; see ``VaultHead/keyNumber``. `label` is the first slot's.
  ///
  /// - Throws: as ``create(_:startingOver:)`` does.
  @discardableResult
  package func create(
    _ protection: borrowing Protection, startingOver: Bool = false, isShared: Bool, label: String? = nil
  ) throws(KeychainError) -> [String] {
    // Checked before anything is made or moved.
    try label.map(SlotNotes.refuseUnusable(label:))
    if try openVault() != nil { throw .duplicateItem }
    try refuseToMake(startingOver: startingOver)
    let locked = try lockFolder(patience: patience)
    if try openVault() != nil { throw .duplicateItem }
    try refuseToMake(startingOver: startingOver)
    let (aside, durability) =
      startingOver ? try VaultTraces.putAside(at: location, in: locked.folder) : ([], .lasting)
    let change = try VaultChange(nil, locked, unlocking: unlocking)
    change.durability = durability
    announce(change)
    try change.make(protection)
    change.newVault?.label = label
    if isShared { change.head.keyNumber = 1 }
    try change.commit(at: clock())
    key = change.key
    snapshot = nil
    // Not before: they would say that a vault is missing.
    try writeLocalSlots(of: change)
    return aside
  }

  private func refuseToMake(startingOver: Bool) throws(KeychainError) {
    try location.refuseHomeOfAnother()
    guard let absence = try absence() else { return }
    if !startingOver { throw absence }
    // These files may open a vault that is still in its place elsewhere.
    let traces = try VaultTraces(at: location, remembered: remembered)
    if let other = traces.placeInUse { throw .elsewhere(path: location.vaultFile, known: other) }
  }

  /// The error of a missing vault; `nil` if this machine knows of none.
  func absence() throws(KeychainError) -> KeychainError? {
    // This object itself has opened one.
    if key != nil { return .missing(path: location.vaultFile) }
    return try VaultTraces(at: location, remembered: remembered).absence
  }
}

/// A vault's traces on this machine besides its file.
///
/// All of them are made after the vault's file, except the identity under its provisional name. So traces without a
/// vault mean that a vault is missing, not that one is just being made.
struct VaultTraces {
  private let path: String
  /// Whether there are traces of a vault that was here, or whose place is unknown.
  private var isHere = false
  /// Other places of former vaults.
  private var elsewhere: [String] = []

  private static let inState = [VaultLocation.identityName, VaultLocation.slotsName]

  /// Looks for traces.
  ///
  /// - Parameter remembered: the vault's path as remembered by the caller, for when the state folder knows none.
  /// - Throws: ``KeychainError`` if the traces can't be examined, or their home folder is missing.
  init(at location: VaultLocation, remembered: () -> String?) throws(KeychainError) {
    path = location.vaultFile
    try location.refuseMissingHome()
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
    // Traces without a place belong to a known vault, or to one that may have been here.
    if known.isEmpty, hasFurther { isHere = true }
    if places.contains(nil), placeInUse == nil { isHere = true }
  }

  /// A known place that still has a vault; `nil` if there is none.
  var placeInUse: String? { elsewhere.first(where: FileStatus.isThere) }

  /// The error of a missing vault; `nil` without traces.
  var absence: KeychainError? {
    if isHere { return .missing(path: path) }
    guard let known = placeInUse ?? elsewhere.first else { return nil }
    return .elsewhere(path: path, known: known)
  }

  private static func nearVault(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    try [VaultLocation.slotsName, Generations.folderName] + ConflictCopies.names(in: folder)
      + folder.names(where: VaultLocation.isNewestWriteName)
      // Only a file that replaces another is ever exchanged.
      + folder.names().filter(Folder.isExchanged)
  }

  /// Moves the traces, and the vault if it is there, into new folders beside them. Needs the vault's lock.
  ///
  /// - Returns: the paths of the folders, and whether that survives a loss of power.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``. Some traces may still be in place then, so the vault
  ///   still counts as missing.
  static func putAside(
    at location: VaultLocation, in folder: borrowing Folder
  ) throws(KeychainError) -> (folders: [String], Durability) {
    let name = newFolderName()
    var aside: [String] = []
    var durability = Durability.lasting
    let names = try [VaultLocation.vaultName] + nearVault(in: folder)
    if let isLasting = try put(names, of: folder, into: folder.path(of: name)) {
      aside.append(folder.path(of: name))
      durability.join(isLasting)
    }
    if let state = try Folder(opening: location.stateFolder) {
      let seen = try state.names(where: SeenGeneration.isFileName)
      let names = inState + [VaultLocation.newIdentityName] + seen
      if let isLasting = try put(names, of: state, into: state.path(of: name)) {
        aside.append(state.path(of: name))
        durability.join(isLasting)
      }
    }
    return (aside, durability)
  }

  static func newFolderName() -> String { "former-" + newDigits().suffix(8) }

  /// Moves files of a folder into another one, and makes that if needed. Returns whether that survives a loss of
  /// power; `nil` if there was nothing to move.
  static func put(
    _ names: [String], of folder: borrowing Folder, into path: String
  ) throws(KeychainError) -> Durability? {
    var present: [String] = []
    for name in names where try folder.contains(name) { present.append(name) }
    if present.isEmpty { return nil }
    let aside = try Folder(creating: path)
    for name in present where renameat(folder.descriptor, name, aside.descriptor, name) != 0 {
      throw .system(operation: "put aside", path: folder.path(of: name), errno: errno)
    }
    var durability = aside.synchronize()
    durability.join(folder.synchronize())
    return durability
  }
}
