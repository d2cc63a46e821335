import Bytes
import EncryptedFile

/// Leases, each held by one of those who share a keychain: references of the repository, `refs/llavero/renewing/NAME`.
/// Each leads to an empty commit of its holder. Creating the missing reference takes the lease; deleting the reference
/// gives it back.
extension SharedRepository {
  private static let leases = "refs/llavero/renewing"
  private static let newLeases = "refs/llavero/new/"
  /// Whether the repository has leases, for this machine: not if nobody may delete them.
  private static let leasesSetting = "llavero.leases"
  private static let maximumAttempts = 4

  /// Takes a lease.
  ///
  /// An abandoned lease of this machine counts as its own. The caller makes sure that no two of its processes want the
  /// same one.
  ///
  /// - Parameters:
  ///   - name: hexadecimal digits.
  ///   - former: the holder of an expired lease, to be replaced.
  /// - Returns: ``SharedLease/unknown`` if the repository takes no such references.
  /// - Throws: ``SharingFault``, also if the repository takes nothing at all from here.
  func takeLease(_ name: String, over former: String?) throws(SharingFault) -> SharedLease {
    if try setting(Self.leasesSetting) == "false" { return .unknown }
    let reference = Self.leases + "/" + name
    var made: String?
    for _ in 0..<Self.maximumAttempts {
      let present = try remoteReferences(at: reference)
      let holder = present.first { $0.name == reference }?.commit
      // A commit that is here was made here, even if this machine hasn't heard that the repository took it.
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

  /// Gives a lease back, unless it is somebody else's by now.
  func endLease(_ name: String, of holder: String) throws(SharingFault) {
    let reference = Self.leases + "/" + name
    let sent = try send(":" + reference, ["--force-with-lease=\(reference):\(holder)"])
    if case .refused = sent {
      // A lease that nobody can give back would keep others waiting for nothing.
      _ = try git.output(["config", Self.leasesSetting, "false"])
    }
  }

  /// Checks that the branch can be written, by sending a commit that changes nothing. There is no other way to find
  /// out about a server's hooks and protected branches.
  ///
  /// - Throws: ``SharingFault/refused(said:)`` if it can't.
  func proveWritable() throws(SharingFault) {
    for _ in 0..<Self.maximumAttempts {
      guard let tip = try fetch() else { return }
      if try push(try commit(nil, after: tip, message: "Renew a token")) == .done { return }
    }
    throw .contended(attempts: Self.maximumAttempts)
  }

  /// - Parameter expected: the reference's present commit; empty if it must not exist.
  private func replace(
    _ reference: String, _ expected: String, by commit: String
  ) throws(SharingFault) -> Sent {
    let sent = try send("\(commit):\(reference)", ["--force-with-lease=\(reference):\(expected)"])
    guard case .refused = sent, !expected.isEmpty else { return sent }
    // The repository may refuse to rewind a reference, but always takes a new one.
    let removed = try send(":" + reference, ["--force-with-lease=\(reference):\(expected)"])
    if removed != .done { return removed }
    return try send("\(commit):\(reference)", ["--force-with-lease=\(reference):"])
  }

  /// A commit that no other machine has.
  private func newLease(_ name: String) throws(SharingFault) -> String {
    let message = "Renew a token\n\n\(Self.newName())\n"
    // Another process may want a lease for another item.
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
    return try commit(at: reference, from: Secret(stream))
  }

  /// The remote's commit at a reference, and any names in its way: below it, in place of its folders, or with the same
  /// ending, which git would take for it. None of them is ours.
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
      else { throw .misunderstood("ls-remote") }
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
