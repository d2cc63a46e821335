import Interchange
import Keychain
import ToolCommands

protocol ImportSource: AnyObject {
  /// The user's name for it: a path, or a program's name.
  var name: String { get }

  /// Finds the logins, in order of preference.
  ///
  /// - Throws: ``KeychainError`` if any part of the source can't be read.
  func read(progress: (_ done: Int, _ total: Int) -> Void) throws(KeychainError) -> FoundLogins

  /// Why nothing can be removed from it, and what to do instead; `nil` if logins can be removed.
  var whyNotRemovable: KeychainError? { get }

  /// Removes the given logins, and nothing else. Those changed since they were read stay.
  ///
  /// - Throws: ``KeychainError`` if that can't be done; the source is then unchanged. A service deletes one item after the
  ///   other: if it fails, the result has the failure.
  func remove(_ logins: [FoundLogin]) throws(KeychainError) -> Removed
}

extension ImportSource {
  var whyNotRemovable: KeychainError? { nil }
}

struct Removed {
  /// A message for the user; `nil` if nothing was removed.
  var text: String?
  /// The logins that have changed since they were read, and stay.
  var changed: [FoundLogin] = []
  /// Why the source failed in the middle; `nil` if it didn't.
  var failure: KeychainError?
  /// The logins that stay because of that, as far as is known.
  var notDeleted: [FoundLogin] = []
  /// Whether the source stays because it has something besides logins, though it should have nothing else.
  var hasMore = false

  init(text: String?) { self.text = text }

  init(_ count: Int, from name: String, changed: [FoundLogin]) {
    text = count == 0 ? nil : "deleted \(countText(count, "item")) from \(name)"
    self.changed = changed
  }
}
