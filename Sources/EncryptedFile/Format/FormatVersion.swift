import Keychain

extension VaultHead {
  /// The newest format that this version writes and reads. Files have the lowest one that suffices; see
  /// `VaultLines.formatVersion`.
  static let version = 2
}

extension VaultLines {
  /// The lowest format version for all of these records: 2 if one, in use or not, is an item or a collection of the
  /// Secret Service, otherwise 1. A program that knows only version 1 would take such a record for damage.
  var formatVersion: Int {
    for kind in SecretServiceItem.Kind.allCases {
      let beginning = SortKey.beginning(of: kind)
      for key in [beginning, Array(RetiredRecord.keyPrefix.utf8) + beginning]
      where !lines(beginning: key).isEmpty {
        return 2
      }
    }
    return 1
  }
}
