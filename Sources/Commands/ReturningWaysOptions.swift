import ArgumentParser
import EncryptedFile
import Keychain
import Processes
import ToolCommands

/// Whether the encrypted file may be put back with ways in that it may not have had any more.
struct ReturningWaysOptions: ParsableArguments {
  @Flag(help: "Don't ask whether what is listed may open the keychain again")
  var yes = false

  /// Runs what puts the file back, and asks on the terminal where it has to be asked.
  ///
  /// - Throws: ``Failure`` with status 2 where nobody can be asked, with status 1 where the answer is no.
  func confirming<Result>(
    _ vault: EncryptedFileKeychain,
    _ body: (EncryptedFileKeychain, WaysConfirmation) throws(KeychainError) -> Result
  ) throws(Failure) -> Result {
    var refusal: Failure?
    do throws(KeychainError) {
      return try body(vault) { returning in
        refusal = Self.refusal(of: returning, at: vault.location, isConfirmed: yes)
        return refusal == nil
      }
    } catch .itemNotFound {
      throw .noEncryptedFile
    } catch .slot(.unconfirmed) {
      throw refusal ?? Failure(.slot(.unconfirmed))
    } catch .otherKey(let path) {
      throw Failure(
        "\(path) is encrypted for a former key, which nothing here opens; nothing was changed",
        hint: "see the other states with 'llavero vault log'", status: .keychain)
    } catch {
      throw Failure(error)
    }
  }

  /// Says what would open the keychain, and asks. `nil` if it may.
  private static func refusal(
    of returning: ReturningWays, at location: VaultLocation, isConfirmed: Bool
  ) -> Failure? {
    StandardStreams.say(reason(returning.doubt, location) + "; what is put back opens with:")
    for way in returning.ways {
      var text =
        way.kind == .identityFile ? "the key file \(location.identityFile)" : "\(way.kind.name) \(way.id)"
      if let recipient = way.recipient { text += " for \(recipient)" }
      if let added = way.added { text += ", added \(dateText(added))" }
      StandardStreams.say("  " + terminalText(text))
    }
    if returning.mayBeFormerKey {
      StandardStreams.say(
        "its key may have been changed since, on another machine; this takes the former one back")
    }
    if isConfirmed { return nil }
    guard let terminal = Terminal() else {
      return Failure(
        "one of these may have been removed, and there is no terminal to ask on; nothing was changed",
        hint: "if all of them may open the keychain, say --yes", status: .keychain)
    }
    if terminal.ask("One that was removed opens the keychain again. Put it back so? [y/N] ") { return nil }
    return Failure("nothing was changed", status: .nothingMatched)
  }

  private static func reason(_ doubt: ReturningWays.Doubt, _ location: VaultLocation) -> String {
    let path = terminalText(location.vaultFile)
    return switch doubt {
    case .fileMissing: "\(path) is missing"
    case .headerUnreadable: "the header of \(path) is damaged, or of another key"
    case .notTheOneSeen: "\(path) is not the file that was seen here last"
    }
  }
}
