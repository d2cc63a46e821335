import ArgumentParser
import EncryptedFile
import Keychain
import ToolCommands

/// Whether the encrypted file may be restored with slots that may have been removed since.
struct ReturningWaysOptions: ParsableArguments {
  @Flag(help: "Let the listed slots open the keychain again without asking")
  var yes = false

  /// Runs `body`, which restores the file, and asks on the terminal if a confirmation is needed.
  ///
  /// - Throws: ``KeychainError`` with status 2 if nobody can be asked, with status 1 if the answer is no.
  func confirming<Result>(
    _ vault: EncryptedFileKeychain, _ selection: KeychainSelection,
    _ body: (EncryptedFileKeychain, WaysConfirmation) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    var refusal: KeychainError?
    do throws(KeychainError) {
      return try body(vault) { returning in
        refusal = Self.refusal(of: returning, at: vault.location, isConfirmed: yes, selection)
        return refusal == nil
      }
    } catch .itemNotFound {
      throw .noEncryptedFile
    } catch .slot(.unconfirmed) {
      throw refusal ?? .slot(.unconfirmed)
    } catch .otherKey(let path) {
      throw .failure(
        "\(path) is encrypted for a former key, which nothing here opens; nothing was changed",
        hint: "see the other states with 'llavero vault log'", status: .keychain)
    }
  }

  /// Lists the slots that would return, and asks for confirmation. Returns `nil` if it is given.
  private static func refusal(
    of returning: ReturningWays, at location: VaultLocation, isConfirmed: Bool, _ selection: KeychainSelection
  ) -> KeychainError? {
    var text = reason(returning.doubt, location) + ": the restored keychain opens with "
    text += returning.ways.map { name($0, location) }.joined(separator: "; ")
    if returning.mayBeFormerKey {
      text += "; its key may have been changed elsewhere since, and the former one comes back"
    }
    if isConfirmed {
      StandardStreams.say("\(text)")
      return nil
    }
    let question: TextForTerminal = "What was removed of these opens the keychain again. Put it back so?"
    if let isConfirmed = selection.confirms(question, showing: "llavero: \(text)\n") {
      return isConfirmed ? nil : KeychainError("nothing was changed", status: .nothingMatched)
    }
    return .failure(
      text + "; nothing was changed",
      hint: "if some of that was removed, it would open the keychain again; if all of it may, add --yes",
      status: .keychain)
  }

  private static func name(_ way: SlotSummary, _ location: VaultLocation) -> String {
    var text =
      way.kind == .identityFile ? "the key file \(location.identityFile)" : "\(way.kind.name) \(way.id)"
    if let label = way.label { text += " '\(label)'" }
    if let recipient = way.recipient { text += " for \(recipient)" }
    if let added = way.added { text += " of \(dateText(added))" }
    return text
  }

  private static func reason(_ doubt: ReturningWays.Doubt, _ location: VaultLocation) -> String {
    let path = location.vaultFile
    return switch doubt {
    case .fileMissing: "\(path) is missing"
    case .headerUnreadable: "the header of \(path) is damaged, or of another key"
    case .notTheOneSeen: "\(path) is not the file that was seen here last"
    }
  }
}
