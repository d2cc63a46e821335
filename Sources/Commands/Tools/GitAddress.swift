import Bytes
import CredentialProtocols
import Keychain

/// The address of a repository as git reads it (git-clone(1), "GIT URLS").
struct GitAddress {
  let text: String

  /// Those that ssh logs in to.
  private static let ofSSH = ["ssh", "git+ssh", "ssh+git"]
  /// Those that need no login, or leave it to another program.
  private static let withoutLogin = ["file", "git", "ext", "fd"]

  init(_ text: String) { self.text = text }

  /// The protocol: `ssh` also for `HOST:PATH`, and `file` for a path.
  private var scheme: String {
    if let mark = text.schemeMark { return text[..<mark.lowerBound].lowercased() }
    guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") else { return "file" }
    // git-remote-ext and the like are called so.
    let isProgram = text[colon...].hasPrefix("::") && text[..<colon].utf8.isScheme
    return isProgram ? String(text[..<colon]) : "ssh"
  }

  /// Where git logs in; `nil` if the address is no URL, or has a password in it.
  var place: InternetPassword? {
    guard text.schemeMark != nil, case .internetPassword(let key)? = try? NamedPlace(url: text).key() else {
      return nil
    }
    return key
  }

  private var hasPassword: Bool {
    do throws(KeychainError) {
      _ = try NamedPlace(url: text).key()
      return false
    } catch {
      return text.schemeMark != nil && error == NamedPlace.passwordInURL
    }
  }

  /// The address for people, without a password. What the program of another protocol gets may have one anywhere.
  var shown: String {
    if hasPassword { return "a URL with a password in it" }
    if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("::") { return "\(text[..<colon])::…" }
    if let place { return Item.Key.internetPassword(place).name }
    guard let end = text.lastIndex(of: "@"), text[..<end].contains(":") else { return text }
    return "…\(text[end...])"
  }

  /// Why git asks no helper for it; `nil` if it may ask one.
  var whyUnasked: String? {
    let scheme = scheme
    if (Self.ofSSH + Self.withoutLogin).contains(scheme) { return "git asks no helper for \(scheme): URLs" }
    return hasPassword ? "git takes the password from the URL, and asks no helper" : nil
  }

  /// The failure if git asks no helper for it.
  var refusal: KeychainError? {
    if whyUnasked == nil { return nil }
    let hint: Hint? =
      Self.ofSSH.contains(scheme)
      ? "ssh uses its keys, or a password from llavero-askpass; see 'llavero help ssh'" : nil
    return .failure("git would not ask llavero for \(shown)", hint: hint, status: .nothingMatched)
  }
}
