import Bytes
import EncryptedFile

/// Rights that only one of those has who share a keychain, at a time: references of the repository,
/// `refs/llavero/renewing/NAME`. Each leads to an empty commit of its holder, and whoever makes the reference while
/// there is none has the right. To give it back is to delete it.
extension SharedRepository {
  private static let leases = "refs/llavero/renewing"
  private static let newLeases = "refs/llavero/new/"
  /// Whether the repository has such references, for this machine: not if it lets nobody delete them.
  private static let leasesSetting = "llavero.leases"
  private static let maximumAttempts = 4

  /// Takes a right.
  ///
  /// One that this machine has left behind is its own. The caller sees to it that no two of its processes want the same
  /// one.
  ///
  /// - Parameters:
  ///   - name: hexadecimal digits.
  ///   - former: the holder whose right has ended, who is replaced.
  /// - Returns: ``SharedLease/unknown`` if the repository takes no such references.
  /// - Throws: ``SharingFault``, also if it takes nothing at all from here.
  func takeLease(_ name: String, over former: String?) throws(SharingFault) -> SharedLease {
    if try setting(Self.leasesSetting) == "false" { return .unknown }
    let reference = Self.leases + "/" + name
    var made: String?
    for _ in 0..<Self.maximumAttempts {
      let present = try remoteReferences(at: reference)
      let holder = present.first { $0.name == reference }?.commit
      // Only what was made here is here: it may not have been heard that the repository has taken it.
      if let holder, holder != former, try commit(of: holder) == nil { return .held(by: holder) }
      for obstacle in present where obstacle.name != reference {
        _ = try send(":" + obstacle.name, ["--force-with-lease=\(obstacle.name):\(obstacle.commit)"])
      }
      let lease: String
      if let made { lease = made } else { lease = try newLease(name) }
      made = lease
      switch try replace(reference, holder ?? "", by: lease) {
      case .done: return .taken(by: lease)
      case .refused: return .unknown
      case .rejected: break
      }
    }
    throw .contended(attempts: Self.maximumAttempts)
  }

  /// Gives a right back, unless it is somebody else's by now.
  ///
  /// - Throws: ``SharingFault``
  func endLease(_ name: String, of holder: String) throws(SharingFault) {
    let reference = Self.leases + "/" + name
    let sent = try send(":" + reference, ["--force-with-lease=\(reference):\(holder)"])
    if case .refused = sent {
      // One that nobody can give back keeps others waiting for nothing.
      _ = try git.output(["config", Self.leasesSetting, "false"])
    }
  }

  /// Checks that the branch takes what is sent from here, by sending a commit that changes nothing. What a server
  /// refuses by a hook, or for a protected branch, is not to be learnt in another way.
  ///
  /// - Throws: ``SharingFault/refused(said:)`` if it doesn't.
  func proveWritable() throws(SharingFault) {
    for _ in 0..<Self.maximumAttempts {
      guard let tip = try fetch() else { return }
      if try push(try commit(nil, after: tip, message: "Renew a token")) == .done { return }
    }
    throw .contended(attempts: Self.maximumAttempts)
  }

  /// - Parameter expected: the commit that the reference has to lead to; empty if there has to be none.
  private func replace(
    _ reference: String, _ expected: String, by commit: String
  ) throws(SharingFault) -> Sent {
    let sent = try send("\(commit):\(reference)", ["--force-with-lease=\(reference):\(expected)"])
    guard case .refused = sent, !expected.isEmpty else { return sent }
    // It may take no reference that doesn't come from the former one, but always a new one.
    let removed = try send(":" + reference, ["--force-with-lease=\(reference):\(expected)"])
    if removed != .done { return removed }
    return try send("\(commit):\(reference)", ["--force-with-lease=\(reference):"])
  }

  /// A commit that no other machine has.
  private func newLease(_ name: String) throws(SharingFault) -> String {
    let word = hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max) })
    let message = "Renew a token\n\n\(word)\n"
    // Another process may want one for another item.
    let reference = Self.newLeases + name
    let stream = """
      feature done
      reset \(reference)
      commit \(reference)
      committer llavero <llavero@localhost> now
      data \(message.utf8.count)
      \(message)
      done

      """
    _ = try git.output(["fast-import", "--quiet", "--force", "--date-format=now"], sending: Secret(stream))
    guard let commit = try commit(of: reference) else {
      throw .failed(operation: "fast-import", status: 0, said: "it has made no commit")
    }
    return commit
  }

  /// What the remote has at a reference, and what is in its way: below it, in place of its folders, or with a name that
  /// ends likewise, which git would take for it. Nothing of ours is.
  private func remoteReferences(
    at reference: String
  ) throws(SharingFault) -> [(name: String, commit: String)] {
    let folders = ["refs/llavero", Self.leases]
    let output = try git.output(
      ["ls-remote", "--quiet", "--", remote, reference, reference + "/*"] + folders)
    var found: [(name: String, commit: String)] = []
    for line in Self.lines(output) {
      // COMMIT TAB REFERENCE
      let parts = line.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2, 40...64 ~= parts[0].utf8.count,
        parts[0].utf8.allSatisfy({ hexadecimalValue($0) != nil })
      else {
        throw .failed(operation: "ls-remote", status: 0, said: "its answer can't be understood")
      }
      let name = String(parts[1])
      if name == reference || folders.contains(name) || name.hasPrefix(reference + "/")
        || name.hasSuffix("/" + reference)
      {
        found.append((name, String(parts[0])))
      }
    }
    return found
  }
}
