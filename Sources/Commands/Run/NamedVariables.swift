import Bytes
import Keychain
import KeychainChoice
import ToolCommands

/// The variables of `--env NAME=ITEM`, where an item is named as for `llavero get`, not by a reference.
///
/// What names nothing is never shown: somebody may have written a secret there.
struct NamedVariables {
  let isExact: Bool
  let selection: KeychainSelection
  let open: OpenKeychain

  /// The secret of the item that is meant, and of no other one.
  ///
  /// - Parameter assignment: one that ``VariableAssignment/namesItem``.
  /// - Throws: ``KeychainError`` if nothing is meant, if several items are and nobody chooses one, if it has no secret
  ///   now, and any error of the keychain.
  func secret(for assignment: VariableAssignment) throws(KeychainError) -> Secret {
    let name = assignment.name
    guard let text = assignment.value.text else { throw Self.nothing(for: name) }
    let named = NamedPlace(url: text)
    do throws(KeychainError) { try named.check() } catch { throw Self.nothing(for: name) }
    guard let meant = try found(named),
      let item = try meant.items(in: open).first
    else {
      try open.keychain.refusePassingOver()
      throw Self.nothing(for: name)
    }
    guard let answer = try open.answer(to: meant) else {
      open.endIfRenewalExplained()
      throw .failure(
        "there is no secret for \(item.name), which --env gives for \(name)",
        hint: "\(command: "llavero", "get") says why", status: open.statusWithoutToken)
    }
    return answer.credential.secret.copy()
  }

  /// - Throws: ``KeychainError`` as ``MeantItem/found(_:)`` does, with a hint that `llavero run` can follow.
  private func found(_ named: NamedPlace) throws(KeychainError) -> Meant? {
    do throws(KeychainError) {
      return try MeantItem(in: open, isExact: isExact, selection).found(named)
    } catch {
      // What isn't one item fails so: the text itself was checked before.
      guard error.status == .usage else { throw error }
      throw .failure(
        error.message,
        hint: "name one by its label, its URL or a reference such as llavero://SERVICE/ACCOUNT",
        status: .usage)
    }
  }

  private static func nothing(for name: ByteString) -> KeychainError {
    .failure(
      "the keychain has nothing by the name that --env gives for \(name)",
      hint: "\(.seeList); a name is a URL, a service or a label",
      status: .nothingMatched)
  }
}
