import Keychain

/// A question from git, ssh, sudo or wget to an askpass program that the keychain may answer.
///
/// The prompts are those of git 2.55's `credential.c`, of OpenSSH 8.5 and later, sudo 1.9 and wget 1.25. A prompt that
/// differs in any byte is a question for a person.
enum AskpassPrompt: Hashable {
  /// Git and wget ask for the user name.
  case account(Place)
  /// Git and wget ask for the user's password.
  case password(Place, account: ByteString?)
  /// `ssh` asks for a password. It doesn't tell the port.
  case login(server: ByteString, account: ByteString)
  /// `ssh`, `ssh-add` and `ssh-keygen` ask for the passphrase of a key file, by the name given to them.
  case key(file: ByteString)
  /// `sudo` asks for the user's own password.
  case user(account: ByteString)

  /// Programs with the same prompts.
  enum Family {
    case git
    case ssh
    case sudo
  }

  /// The programs with this prompt.
  var family: Family {
    switch self {
    case .account, .password: .git
    case .login, .key: .ssh
    case .user: .sudo
    }
  }

  /// Parses a prompt; `nil` if it is none of these.
  init?(_ prompt: ByteString) {
    if let url = prompt.between("Username for '", "': ") {
      guard url.isPlainURL, let (place, account) = try? Place.parse(url), account == nil else { return nil }
      self = .account(place)
    } else if let url = prompt.between("Password for '", "': ") {
      guard url.isPlainURL, let (place, account) = try? Place.parse(url) else { return nil }
      self = .password(place, account: account)
    } else if let user = prompt.between("[sudo] password for ", ": ") {
      self = .user(account: user)
    } else if let file = prompt.between("Enter passphrase for key '", "': ") {
      // `ssh` silently truncates a name after this many bytes.
      guard file.bytes.count < 100 else { return nil }
      self = .key(file: file)
    } else if let file = prompt.between("Enter passphrase for \"", "\": ") {
      self = .key(file: file)
    } else if let file = prompt.between("Enter passphrase for ", " (will confirm each use): ")
      ?? prompt.between("Enter passphrase for ", ": ")
    {
      // A key on a PKCS#11 token has a PIN, and three wrong ones lock it. A prompt that ends with `)` is for a new
      // passphrase, which llavero must not choose.
      guard file != "PKCS#11", file.bytes.last != UInt8(ascii: ")") else { return nil }
      self = .key(file: file)
    } else if let login = prompt.between("(", ") Password: ") ?? prompt.between("(", ") Password:")
      ?? prompt.between("", "'s password: ")
    {
      // A user name may contain an @, a host name can't.
      guard let at = login.bytes.lastIndex(of: UInt8(ascii: "@")), at > 0, at + 1 < login.bytes.count,
        !login.bytes.contains(where: { $0 == 0x20 || $0 == 0x28 || $0 == 0x29 })
      else { return nil }
      self = .login(
        server: ByteString(Array(login.bytes[(at + 1)...])).lowercased,
        account: ByteString(Array(login.bytes[..<at])))
    } else {
      return nil
    }
  }
}

extension AskpassPrompt.Family {
  /// The family of a program, by its name; `nil` if it is unknown.
  init?(ofProgram name: ByteString) {
    func begins(_ prefix: String) -> Bool { name.bytes.starts(with: prefix.utf8) }
    if begins("git") || name == "wget" {
      self = .git
    } else if begins("ssh") || name == "scp" || name == "sftp" {
      self = .ssh
    } else if begins("sudo") {
      self = .sudo
    } else {
      return nil
    }
  }
}

extension ByteString {
  /// Whether the URL's host follows its only @, or it has no @. Git before 2.40.4 and 2.48.1 shows a user name
  /// undecoded: for `https://github.com%2F@evil.example`, which a submodule may contain, it asks for the password of
  /// `https://github.com/@evil.example` (CVE-2024-50349).
  fileprivate var isPlainURL: Bool {
    var slashes = 0
    for byte in bytes {
      switch byte {
      case 0x2f: slashes += 1
      case UInt8(ascii: "@") where slashes != 2: return false
      case 0x3f, 0x23: return false
      default: break
      }
    }
    return bytes.filter { $0 == UInt8(ascii: "@") }.count < 2
  }

  /// The text between a prefix and a suffix, if it is one line and not empty.
  fileprivate func between(_ start: String, _ end: String) -> ByteString? {
    let (start, end) = (Array(start.utf8), Array(end.utf8))
    guard bytes.count > start.count + end.count, bytes.starts(with: start),
      bytes.suffix(end.count).elementsEqual(end), !bytes.contains(where: { $0 < 0x20 })
    else { return nil }
    return ByteString(Array(bytes[start.count..<(bytes.count - end.count)]))
  }
}
