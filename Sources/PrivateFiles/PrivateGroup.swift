import Bytes
import CLinux
import Glibc
package import Keychain

extension FileStatus {
  /// Why somebody other than this user and root can change it; `nil` if nobody can. A group without other members
  /// doesn't count: distributions give each user one and let it write (RHEL, "User Private Groups").
  ///
  /// - Parameter descriptor: the open file or folder, for its access control list.
  package func othersMayChange(_ descriptor: Int32) -> KeychainError.FileFault? {
    if owner != ownUser, owner != 0 { return .owner(uid: owner) }
    let fault = KeychainError.FileFault.mode(mode & 0o7777)
    if mode & 0o002 != 0 { return fault }
    if mode & 0o020 == 0 { return nil }
    // With an access control list, these bits are the most that anybody on it may.
    var list = [UInt8](repeating: 0, count: 1 << 16)
    if clinux_get_access_list(descriptor, &list, list.count) > 0 { return fault }
    return PrivateGroup.isOwn(group) ? nil : fault
  }
}

/// The groups with a single user.
enum PrivateGroup {
  /// Whether only this user is in a group, as far as /etc/passwd and /etc/group tell.
  static func isOwn(_ group: UInt32) -> Bool {
    guard let users = lines(of: "/etc/passwd"), let groups = lines(of: "/etc/group") else { return false }
    return isOwn(group, of: ownUser, users, groups)
  }

  /// The same for given contents: the fields of each line (passwd(5), group(5)).
  static func isOwn(_ group: UInt32, of user: UInt32, _ users: [[Substring]], _ groups: [[Substring]]) -> Bool
  {
    let having = users.filter { $0.count == 7 && $0[3] == "\(group)" }
    let found = groups.filter { $0.count == 4 && $0[2] == "\(group)" }
    guard let own = having.first, having.allSatisfy({ $0[2] == "\(user)" }), !found.isEmpty else {
      return false
    }
    return found.allSatisfy { $0[3].isEmpty || $0[3] == own[0] }
  }

  /// The fields of a file's lines; `nil` if it can't be read.
  private static func lines(of path: String) -> [[Substring]]? {
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 { return nil }
    defer { close(file) }
    guard let status = try? FileStatus(of: file, path: path), status.isRegularFile, status.size <= 1 << 22
    else {
      return nil
    }
    var text = [UInt8](repeating: 0, count: status.size)
    guard text.withUnsafeMutableBytes({ readFully(file, at: 0, into: $0) }) == 0 else { return nil }
    return fields(text)
  }

  static func fields(_ text: [UInt8]) -> [[Substring]] {
    text.split(separator: 0x0a).map { line in
      String(decoding: line, as: UTF8.self)[...].split(separator: ":", omittingEmptySubsequences: false)
    }
  }
}
