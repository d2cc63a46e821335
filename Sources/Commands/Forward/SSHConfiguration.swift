import Bytes
import Forwarding
import Keychain
import ToolCommands

enum SSHConfiguration {
  /// The time limit for `ssh -G`, in milliseconds: its configuration may name programs to run.
  private static let time = 20_000

  /// The values of options by lowercase name, from `ssh -G`; `nil` without ssh.
  static func options(for host: String) -> [String: String]? {
    if host.hasPrefix("-") { return nil }
    let arguments = ["ssh", "-T", "-G", host].map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(arguments, timeout: time, limit: 1 << 20) else { return nil }
    switch consume outcome {
    case .failed: return nil
    case .printed(let text):
      var options: [String: String] = [:]
      text.withUnsafeBytes { bytes in
        var lines = Lines(bytes)
        while let line = lines.next() {
          let words = line.split(separator: 0x20, maxSplits: 1)
          guard words.count == 2 else { continue }
          let name = String(decoding: UnsafeRawBufferPointer(rebasing: words[0]), as: UTF8.self)
          if options[name] == nil {
            options[name] = String(decoding: UnsafeRawBufferPointer(rebasing: words[1]), as: UTF8.self)
          }
        }
      }
      return options
    }
  }

  /// The host in the form of rules: ssh's name in `known_hosts` for the one that you type.
  ///
  /// - Throws: ``KeychainError`` if it is none.
  static func host(named name: String) throws(KeychainError) -> ForwardedHost {
    if name.hasPrefix("SHA256:") || name.hasPrefix("socket:") {
      guard let host = ForwardedHost(parsing: ByteString(name)) else {
        throw .failure("'\(name)' is neither a fingerprint nor a socket", status: .usage)
      }
      return host
    }
    // People may type it with a user.
    let typed = name.lastIndex(of: "@").map { String(name[name.index(after: $0)...]) } ?? name
    let known = typed.hasPrefix("[") ? nil : knownName(of: typed)
    guard let host = ForwardedHost(parsing: ByteString(known ?? typed)), case .name = host else {
      throw .failure(
        "'\(name)' is no host", hint: "name it as for ssh, or by SHA256:... or socket:NAME", status: .usage)
    }
    return host
  }

  private static func knownName(of typed: String) -> String? {
    guard let options = options(for: typed) else { return nil }
    if let alias = options["hostkeyalias"], alias != "none" { return alias }
    guard let host = options["hostname"] else { return nil }
    if let port = options["port"], port != "22" { return "[\(host)]:\(port)" }
    return host
  }
}
