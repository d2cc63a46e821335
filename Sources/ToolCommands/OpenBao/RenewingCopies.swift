import Bytes
import Keychain
import OpenBao
import PrivateFiles

/// Renews copies, and notes the server's state for that.
extension CopiedKeychain {
  /// The shortest time between two attempts, in seconds.
  private static let pause = 10

  /// Has another process renew the copies of folders, unless the server was tried just now.
  func renewBehind(_ folders: [String]) {
    var note = ContactNote(in: folder)
    let former = note
    if let since = note.failingSince, !note.isSaid {
      onNotice(.answeringFromCopies(server: settings.server.name, since: since))
      note.isSaid = true
    }
    let wait = note.failingSince == nil ? 0 : Self.pause
    if note.tried.map({ clock().seconds - $0.seconds >= wait || $0 > clock() }) ?? true {
      note.tried = clock()
      refreshLater(folders)
    }
    if note != former { note.write(in: folder) }
  }

  /// Notes that the server can't be used, and returns since when.
  @discardableResult
  func noteOutage() -> Timestamp {
    var note = ContactNote(in: folder)
    if let since = note.failingSince { return since }
    let now = clock()
    note.failingSince = now
    note.write(in: folder)
    return now
  }

  func noteContact() {
    var note = ContactNote(in: folder)
    if note.failingSince == nil, !settings.copies.prefetched.isEmpty, note.tried == nil {
      note.tried = clock()
      note.write(in: folder)
      refreshLater([])
    } else if note.failingSince != nil {
      note.failingSince = nil
      note.isSaid = false
      note.write(in: folder)
    }
  }

  /// Renews the copies of folders, and of everything to be copied without having been asked for. Forgets what this
  /// login may no longer read. Does nothing while another process does so already.
  package func refresh(_ folders: [String]) {
    guard let place = try? Folder(creating: folder),
      let lock = try? FileLock(StateFiles.refreshLock, in: place, patience: 0, onWaiting: {})
    else { return }
    defer {
      forgetIfRemoved()
      withExtendedLifetime(lock) {}
    }
    do throws(KeychainError) {
      try server.unhurried { () throws(KeychainError) in try renew(folders) }
      copies.forget(at: clock())
      var note = ContactNote()
      note.tried = clock()
      note.write(in: folder)
    } catch {
      if error.endsCopies { copies.forgetAll() } else { copies.forget(at: clock()) }
      var note = ContactNote(in: folder)
      note.tried = clock()
      note.failingSince = note.failingSince ?? clock()
      note.write(in: folder)
    }
  }

  private func renew(_ folders: [String]) throws(KeychainError) {
    for name in folders {
      let now = clock()
      if let items = try server.copies(below: name) {
        keep([(name, items)], at: now)
      } else {
        copies.forget(at: now, where: { CopyVault.areRelated($0, name) })
      }
    }
    for beginning in settings.copies.prefetched { try prefetch(beginning) }
  }

  private func prefetch(_ beginning: String) throws(KeychainError) {
    let now = clock()
    let present = try server.copies(beginningWith: beginning)
    keep(present.map { (name: $0.key, items: $0.value) }, at: now)
    // Gone, or no longer readable.
    let gone = copies.names.filter { name in
      name.hasPrefix(beginning) && !present.contains { CopyVault.areRelated($0.0, name) }
    }
    if !gone.isEmpty { copies.forget(at: now, where: { gone.contains($0) }) }
  }
}
