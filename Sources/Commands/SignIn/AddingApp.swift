import Bytes
import CredentialProtocols
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import SignIn
import ToolCommands

struct AddingApp {
  /// In bytes.
  private static let largestKey = 65_536

  /// The user name for an installation's tokens, from GitHub's documentation.
  private static let account: ByteString = "x-access-token"

  let identifier: String
  /// The file with the app's private key; `-` for standard input.
  let keyFile: String

  /// Keeps the app's key, and an item for its tokens.
  func add(for place: NamedPlace, isUpdate: Bool, to open: OpenKeychain) throws(KeychainError) -> Item {
    guard case .internetPassword(var key) = try place.keyToSignIn(), let url = key.url(),
      SignInPlace(url)?.isOfMail == false
    else {
      throw .failure("a GitHub App is for a place that begins with https://", status: .usage)
    }
    guard key.path != nil else {
      throw .failure(
        "a GitHub App is for an organisation, a person or a repository",
        hint: "add its name: \(prose: url)/ORGANISATION", status: .usage)
    }
    // GitHub has numbers, and client identifiers such as Iv23li1a2b3c4d5e6f7g.
    let isIdentifier = identifier.utf8.allSatisfy { $0.isLetterOrDigit || ".-_".utf8.contains($0) }
    guard isIdentifier, 1...100 ~= identifier.utf8.count else {
      throw .failure(
        "'\(identifier)' is not the identifier of a GitHub App",
        hint: "its page at GitHub has its App ID and client ID", status: .usage)
    }
    key.account = Self.account
    let app = GitHubApp(identifier: identifier, key: try privateKey())
    let minting = KeptMinting.app(app)
    do throws(KeychainError) {
      return try minting.save(url, for: key, isUpdate: isUpdate, in: open.own)
    } catch .duplicateItem {
      throw .thereIsElse(for: url)
    }
  }

  private func privateKey() throws(KeychainError) -> Secret {
    var descriptor: Int32 = 0
    if keyFile != "-" {
      descriptor = Glibc.open(keyFile, O_RDONLY | O_CLOEXEC)
      if descriptor < 0 {
        throw .failure("cannot read \(keyFile): \(errorText(errno))", status: .usage)
      }
    }
    defer { if descriptor > 0 { close(descriptor) } }
    let key = try StandardStreams.readAll(descriptor, limit: Self.largestKey, what: "the private key")
    let isKey = key.withUnsafeBytes { $0.starts(with: "-----BEGIN ") }
    guard isKey else {
      throw .failure(
        "that is not a private key in PEM", hint: "GitHub gives it as a file whose name ends in .pem",
        status: .usage)
    }
    return key
  }
}
