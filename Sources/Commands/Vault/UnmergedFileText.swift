import CredentialProtocols
import EncryptedFile
import Keychain
import ToolCommands

extension UnmergedFile {
  /// A remark about it, with the command to type next.
  var remark: String {
    let merging = Hint.merging(path)
    switch kind {
    case .lastWrite:
      return
        "\(path) is a change that the keychain may lack, because another file took its place; \(merging) merges it"
    case .unfinishedWrite:
      return "\(path) is an unfinished write; \(merging) merges its items"
    case .other:
      return
        "\(path) is another state of the keychain; if it is no backup of yours, \(merging) merges it, "
        + "and then you can remove it"
    case .copy: break
    }
    guard let problem else { return "\(path) is not merged yet; the next use of the keychain merges it" }
    switch problem {
    case .otherKey:
      return
        "\(path) was not merged, because it is encrypted for another key; \(merging) merges it, or says what is missing"
    case .damaged:
      return
        "\(path) was not merged: \(problem.message); put a good copy in its place, or move it away"
    default: return "\(path) was not merged: \(problem.message)"
    }
  }
}
