import Bytes
import Glibc
import Keychain
import SignIn

extension TokenExchange.Source {
  var text: String {
    switch self {
    case .file(let path): path
    case .variable(let name): "the variable \(name)"
    }
  }

  /// What to do if the job's token isn't there.
  var hintIfMissing: TextForTerminal {
    switch self {
    case .file: "put the job's token there, or name another file with 'llavero add --token-file'"
    case .variable: "export it, or name another variable with 'llavero add --token-variable'"
    }
  }
}

extension TokenExchange {
  /// The command that sets it up, in words.
  borrowing func commandToAdd(for url: String) -> [String] {
    var words = ["llavero", "add", url, "--exchange", tokenEndpoint.text]
    switch source {
    case .file(let path): words += ["--token-file", path]
    case .variable(let name): words += ["--token-variable", name]
    }
    for (option, value) in [("--audience", audience), ("--scope", scope), ("--client-id", clientID)] {
      if let value { words += [option, value] }
    }
    return words
  }
}

/// The token by which a service vouches for a job.
enum SubjectToken: ~Copyable {
  case token(Secret)
  /// The reason is for people.
  case missing(String)

  /// In bytes.
  static let maximumSize = 65_536

  /// Reads the token where the job finds it.
  static func read(_ source: TokenExchange.Source) -> SubjectToken {
    switch source {
    case .variable(let name):
      guard let value = getenv(name) else { return .missing("\(name) isn't set") }
      return checked(
        Secret(copying: ByteString(UnsafeRawBufferPointer(start: value, count: strlen(value)))), name)
    case .file(let path):
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor < 0 { return .missing("cannot read \(path): \(errorText(errno))") }
      defer { close(descriptor) }
      do throws(KeychainError) {
        return checked(try StandardStreams.readAll(descriptor, limit: maximumSize, what: path), path)
      } catch {
        return .missing(error.message)
      }
    }
  }

  private static func checked(_ text: consuming Secret, _ place: String) -> SubjectToken {
    let token = text.withoutLastLineFeed()
    let isToken = !token.isEmpty && token.withUnsafeBytes { $0.allSatisfy { 0x21...0x7e ~= $0 } }
    return isToken ? .token(token) : .missing("there is no token in \(place)")
  }
}
