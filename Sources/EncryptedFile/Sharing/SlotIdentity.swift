import Age
import Bytes
import Glibc
package import Keychain
import PrivateFiles

/// An age identity that opens a slot of a shared vault.
package enum SlotIdentity {
  /// Makes an identity in its own file: `# public key: age1…` and the identity, a line each. An existing file stays.
  ///
  /// - Parameters:
  ///   - folder: made if there is none.
  ///   - name: the file's name.
  /// - Returns: its recipient; `nil` if there is a file of that name.
  /// - Throws: `KeychainError.system` if it can't be written, or may not survive a loss of power: others are about
  ///   to let it in. Nothing was made then.
  package static func make(at folder: String, _ name: String) throws(KeychainError) -> String? {
    let identity = X25519Identity()
    var text = Secret()
    text.append("# public key: ")
    text.append(contentsOf: ByteString(identity.recipient.description))
    text.append("\n")
    identity.withEncodedBytes { text.append($0) }
    text.append("\n")
    let folder = try Folder(creating: folder)
    let made = try text.withUnsafeBytes { (text) throws(KeychainError) in try folder.make(name, with: text) }
    do throws(KeychainError) {
      try made?.required()
    } catch {
      unlinkat(folder.descriptor, name, 0)
      throw error
    }
    return made == nil ? nil : identity.recipient.description
  }

  /// The recipient of the first identity in a file, in age's notation or as an ssh public key; `nil` if there is no
  /// such file, or only its plugin knows the recipient.
  ///
  /// - Throws: `KeychainError.SlotFault.noIdentity` if nothing in it opens a slot; `.unsafeFile` if others can read
  ///   it; `.system` if it can't be read.
  package static func recipient(at path: String) throws(KeychainError) -> String? {
    switch try Unlocking.identities(inFile: path)?.first {
    case let identity as X25519Identity: identity.recipient.description
    case let identity as SSHEd25519Identity: identity.recipient.description
    default: nil
    }
  }
}
