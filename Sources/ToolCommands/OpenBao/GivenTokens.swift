import Bytes
import Glibc
import Keychain
import OpenBao

/// The places where the original clients find a person's token: a variable, a token helper, a file.
struct GivenTokens {
  let server: OpenBaoServer
  let variable: (String) -> String?

  /// In bytes.
  private static let maximumSize = 65_536
  /// In milliseconds.
  private static let helperTimeout = 10_000

  /// Whether the environment's address is this server's. Otherwise nobody knows which server a token is for, and none
  /// is sent unless a person has said so.
  var areForServer: Bool { OpenBaoSettings.name(server, variable) }

  /// - Throws: ``KeychainError`` if the token helper can't be run.
  func token(from source: OpenBaoSettings.TokenSource) throws(KeychainError) -> Secret? {
    if source == .variable { return Self.variables.first(where: Self.isSet).flatMap { Self.value(of: $0) } }
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    if source == .file { return Self.token(in: home + "/.vault-token") }
    guard let helper = Self.helper(in: home) else { return nil }
    return try token(of: helper)
  }

  /// The token that the original clients would use; `nil` if there is none. A helper takes the place of the file.
  ///
  /// - Throws: ``KeychainError`` if the token helper can't be run.
  func stored() throws(KeychainError) -> Secret? {
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    return try token(from: Self.helper(in: home) == nil ? .file : .helper)
  }

  private static let variables = ["BAO_TOKEN", "VAULT_TOKEN"]

  // Not by `variable`, whose String could not be wiped.
  private static func isSet(_ name: String) -> Bool { CString(variable: name) != nil }

  private static func value(of name: String) -> Secret? {
    guard let value = getenv(name) else { return nil }
    return Secret(copying: UnsafeRawBufferPointer(start: value, count: strlen(value)))
  }

  /// The `token_helper` of the original clients' configuration; `nil` if there is none.
  private static func helper(in home: String) -> String? {
    for name in [".bao", ".vault"] {
      guard let text = contents(of: home + "/" + name) else { continue }
      return text.withUnsafeBytes { helper(in: $0) }
    }
    return nil
  }

  /// The same, in the text of such a file (HCL). The clients accept only an absolute path.
  static func helper(in text: UnsafeRawBufferPointer) -> String? {
    var lines = Lines(text)
    while let line = lines.next() {
      let parts = String(decoding: line, as: UTF8.self).split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].split(whereSeparator: \.isWhitespace) == ["token_helper"] else {
        continue
      }
      let value = parts[1].drop(while: \.isWhitespace)
      guard value.hasPrefix("\"/"), let end = value.dropFirst().firstIndex(of: "\"") else { return nil }
      return String(value.dropFirst()[..<end])
    }
    return nil
  }

  private func token(of helper: String) throws(KeychainError) -> Secret? {
    // The helper learns the server from the variables that the original clients set.
    let words = ["/usr/bin/env", "BAO_ADDR=\(server.name)", "VAULT_ADDR=\(server.name)", helper, "get"]
    let outcome = try ProgramOutput.read(
      words.map { CString(copying: $0) }, timeout: Self.helperTimeout, limit: Self.maximumSize)
    switch consume outcome {
    case .printed(let text): return Self.trimmed(text)
    case .failed:
      throw .openBao(
        server: server.name, .noLogin(needed: "token from \(helper)", url: server.url, account: nil))
    }
  }

  /// The only contents of a file; `nil` if that is empty, or can't be read.
  static func token(in path: String) -> Secret? { contents(of: path).lend { trimmed($0) } ?? nil }

  /// `nil` if the file can't be read.
  static func contents(of path: String) -> Secret? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    do throws(KeychainError) {
      return try StandardStreams.readAll(descriptor, limit: maximumSize, what: path)
    } catch {
      return nil
    }
  }

  /// Without white space around it; `nil` if nothing is left.
  static func trimmed(_ text: borrowing Secret) -> Secret? {
    text.withUnsafeBytes { text in
      let isSpace: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0d ~= $0 }
      guard let first = text.firstIndex(where: { !isSpace($0) }),
        let last = text.lastIndex(where: { !isSpace($0) })
      else { return nil }
      return Secret(copying: text.part(first, last + 1 - first))
    }
  }
}
