import Bytes
package import Keychain
package import PrivateFiles

package struct RuleStore {
  package let path: String

  /// Why rules can't be read or changed.
  package enum Fault: Error, Equatable, Sendable {
    case malformed(RuleFile.Malformed)
    case file(KeychainError)
    /// There would be too many rules; with the limit in bytes.
    case tooLarge(limit: Int)

    package var text: String {
      switch self {
      case .malformed(let fault): "its line \(fault.line) can't be understood: \(fault.fault.text)"
      case .file(.unsafeFile(_, .symbolicLink)): "it is a symbolic link, so only you can change it"
      case .file(.unsafeFile(_, .mode)): "others can change it"
      case .file(.unsafeFile(_, .owner)): "it belongs to another user"
      case .file(.system(let operation, let path, let number)):
        "cannot \(operation) \(path): \(errorText(number))"
      case .file(.busy(_, let seconds)): "another process has been changing it for \(seconds) seconds"
      case .file(let error): "\(error)"
      case .tooLarge(let limit): "it would have more than \(limit) bytes"
      }
    }
  }

  private static let lockName = "forward.rules.lock"
  /// How long to wait for other writers, in seconds.
  private static let patience = 10

  package init(at path: String) {
    self.path = path
  }

  /// The rules; none without a file. Others may read the file, because people keep it with their other settings, but
  /// not write it.
  package func read() throws(Fault) -> RuleFile {
    let text: Secret?
    do throws(KeychainError) {
      text = try OpenFile(path: path, mayBeRead: true)?.contents(limit: RuleFile.maximumSize)
    } catch {
      throw .file(error)
    }
    guard let text else { return RuleFile() }
    do throws(RuleFile.Malformed) {
      return try text.withUnsafeBytes { (bytes) throws(RuleFile.Malformed) in try RuleFile(parsing: bytes) }
    } catch {
      throw .malformed(error)
    }
  }

  /// Changes the rules, while nobody else does.
  ///
  /// - Returns: the result of `body`, and whether the change survives a loss of power.
  /// - Throws: ``Fault``; then nothing is changed. An invalid file is never replaced.
  package func change<Result>(_ body: (inout RuleFile) -> Result) throws(Fault) -> (Result, Durability) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let (folderPath, name) = (String(path[..<slash]), String(path[path.index(after: slash)...]))
    let folder = try reporting { () throws(KeychainError) in try Folder(creating: folderPath) }
    let lock = try reporting { () throws(KeychainError) in
      try FileLock(Self.lockName, in: folder, patience: Self.patience) {}
    }
    defer { withExtendedLifetime(lock) {} }
    // A new file would replace the link, and the link's target would no longer count.
    if FileStatus.isLink(path) { throw .file(.unsafeFile(path: path, .symbolicLink)) }
    var rules = try read()
    let result = body(&rules)
    let text = rules.text
    if text.count > RuleFile.maximumSize { throw .tooLarge(limit: RuleFile.maximumSize) }
    let durability = try reporting { () throws(KeychainError) in
      try text.lendingBytes { (bytes) throws(KeychainError) in try folder.replace(name, with: bytes) }
    }
    return (result, durability)
  }

  private func reporting<Value: ~Copyable>(_ body: () throws(KeychainError) -> Value) throws(Fault) -> Value {
    do { return try body() } catch { throw .file(error) }
  }
}
