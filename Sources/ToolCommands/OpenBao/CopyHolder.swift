import Age
import Bytes
import Keychain
import OpenBao
import PrivateFiles
import SignIn

/// The holder of a keychain's copies. They go once somebody else logs in, or the same person has other rights.
///
/// A small file has codes of the holder and their known tokens, so that the server is asked only once whose token it
/// is.
final class CopyHolder: TokenHolderNoting {
  private struct Note: JSONMessage {
    var key: ByteString = ""
    var holder: ByteString = ""
    var tokens: [ByteString] = []

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("key", &key)
      try members.member("holder", &holder)
      try members.texts("tokens", &tokens)
    }
  }

  /// How many of a holder's tokens are remembered, the last ones.
  private static let maximumTokens = 8

  private let folder: String
  private let copies: CopyVault
  private let atHand: () -> Secret?
  /// The holder for whom this process asks.
  private var own: ByteString?

  /// - Parameters:
  ///   - folder: the folder of this machine's files about the keychain.
  ///   - copies: the holder's copies.
  ///   - atHand: returns the token that would be used, if that costs next to nothing.
  init(in folder: String, of copies: CopyVault, atHand: @escaping () -> Secret?) {
    self.folder = folder
    self.copies = copies
    self.atHand = atHand
  }

  /// Whether the token at hand may be another holder's than the copies.
  var isUnknown: Bool {
    guard let token = atHand() else { return false }
    return !knows(token)
  }

  /// Whether this process's answers are for the holder of the copies, whom others may have changed meanwhile.
  var isOwn: Bool { own == nil || read().holder == own }

  func knows(_ token: borrowing Secret) -> Bool {
    let note = read()
    guard !note.key.isEmpty, note.tokens.contains(code(of: token, note)) else { return false }
    own = note.holder
    return true
  }

  func note(_ holder: ByteString?, of token: borrowing Secret) {
    let token = token.copy()
    copies.locked { noteUnderLock(holder, of: token) }
  }

  private func noteUnderLock(_ holder: ByteString?, of token: borrowing Secret) {
    var note = read()
    if note.key.isEmpty { note.key = RandomText.unreserved(byteCount: 16).withUnsafeBytes { ByteString($0) } }
    let token = code(of: token, note)
    // If a token may not look itself up, nobody knows whether another one has the same holder.
    let holder = holder.map { code(of: Secret(copying: $0), note) } ?? token
    if holder != note.holder {
      // First of all: the note must be true of each copy.
      copies.clear()
      note.holder = holder
      note.tokens = []
    }
    note.tokens = note.tokens.filter { $0 != token }.suffix(Self.maximumTokens - 1) + [token]
    own = holder
    write(note)
  }

  func note(_ login: borrowing Secret) {
    let login = login.copy()
    copies.locked { noteUnderLock(login) }
  }

  private func noteUnderLock(_ login: borrowing Secret) {
    var note = read()
    // Another process may have noted another holder meanwhile.
    guard let own, note.holder == own else { return }
    let login = code(of: login, note)
    if note.tokens.contains(login) { return }
    note.tokens = note.tokens.suffix(Self.maximumTokens - 1) + [login]
    write(note)
  }

  /// The first bytes of the HMAC-SHA-256 of a text, in hexadecimal digits.
  private func code(of text: borrowing Secret, _ note: Note) -> ByteString {
    var code = [UInt8](repeating: 0, count: KeyDerivation.hashSize)
    code.withUnsafeMutableBytes { code in
      note.key.bytes.withUnsafeBytes { key in
        text.withUnsafeBytes { KeyDerivation.hmacSHA256(key: key, message: $0, into: code) }
      }
    }
    return ByteString(hexadecimal(Array(code.prefix(16))))
  }

  private func read() -> Note {
    var note = Note()
    note.readNote(StateFiles.login, in: folder)
    return note
  }

  private func write(_ note: Note) { note.writeNote(StateFiles.login, in: folder) }
}
