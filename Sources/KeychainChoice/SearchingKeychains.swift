import EncryptedFile
package import Keychain
package import PrivateFiles

extension KeychainOpener {
  /// Adds the other keychains of the search list to one that is open.
  ///
  /// - Parameters:
  ///   - list: the search list; empty if a keychain was named.
  ///   - prepare: called with each keychain of the list when it is opened.
  ///   - onUnusable: called once for each keychain that can't be used, while another one answers.
  ///   - onAdded: called after an item was added.
  ///   - onHidden: told each time whether hiding or revealing survives a loss of power.
  ///   - onHiding: called with a keychain's name and those of its items that are hidden from now on.
  package func adding(
    _ list: KeychainList, to open: OpenKeychain, prepare: @escaping (OpenKeychain) -> Void = { _ in },
    onUnusable: @escaping (String, KeychainError) -> Void, onAdded: @escaping () -> Void = {},
    onHidden: @escaping (Durability) -> Void = { _ in },
    onHiding: @escaping (String, [Item]) -> Void = { _, _ in }
  ) -> OpenKeychain {
    // A tool must not erase what others use, too, even if it is the only keychain.
    if list.keychains.isEmpty, !open.choice.kind.isShared { return open }
    let listed = list.order(newItemsIn: open.choice.keychain)
    if listed.count < 2, !open.choice.kind.isShared { return open }
    let members = listed.map { keychain in
      KeychainSearchList.Member(keychain.name, isShared: keychain.kind.isShared) {
        () throws(KeychainError) in
        if keychain.name == open.choice.name { return open.own }
        let other = try self.openChosen(KeychainChoice(keychain, reason: open.choice.reason))
        prepare(other)
        return other.own
      }
    }
    var searching = open
    searching.list = KeychainSearchList(
      members, newItemsIn: open.choice.name, hiding: HiddenItemFile(in: location.stateFolder, tell: onHidden),
      onUnusable: onUnusable, onHiding: onHiding, onAdded: onAdded)
    return searching
  }
}
