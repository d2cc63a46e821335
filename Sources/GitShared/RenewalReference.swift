import Bytes
package import EncryptedFile

/// Rights that only one of those has who share a keychain, at a time: references of the repository, `refs/llavero/renewing/NAME`.
/// Each leads to an empty commit of its holder, and whoever makes the reference while there is none has the right. To give it
/// back is to delete it.
extension SharedRepository {
  private static let leases = "refs/llavero/renewing/"
  private static let ownLeases = "refs/llavero/leases/"
  private static let newLease = "refs/llavero/lease"
  private static let maximumAttempts = 4

  /// Takes a right.
  ///
  /// One that this machine has left behind is its own. The caller sees to it that no two of its processes want the same one.
  ///
  /// - Parameters:
  ///   - name: hexadecimal digits.
  ///   - former: the holder whose right has ended, who is replaced.
  /// - Returns: ``SharedLease/unknown`` if the repository takes no such references.
  /// - Throws: ``SharingFault``, also if it takes nothing at all from here.
  package func takeLease(_ name: String, over former: String?) throws(SharingFault) -> SharedLease {
    let reference = Self.leases + name
    let own = try commit(of: Self.ownLeases + name)
    var expected = former ?? own ?? ""
    let lease = try newLease()
    for _ in 0..<Self.maximumAttempts {
      switch try replace(reference, expected, by: lease) {
      case .done:
        _ = try git.output(["update-ref", Self.ownLeases + name, lease])
        return .taken(by: lease)
      case .refused:
        try checkWritable()
        return .unknown
      case .rejected: break
      }
      guard let holder = try remoteCommit(of: reference) else {
        expected = ""
        continue
      }
      if holder != own { return .held(by: holder) }
      expected = holder
    }
    throw .contended(attempts: Self.maximumAttempts)
  }

  /// Gives a right back, unless it is somebody else's by now.
  ///
  /// - Throws: ``SharingFault``
  package func endLease(_ name: String, of holder: String) throws(SharingFault) {
    let reference = Self.leases + name
    let sent = try send(":" + reference, ["--force-with-lease=\(reference):\(holder)"])
    if case .refused = sent { return }
    // One of a later process stays.
    _ = try git.run(["update-ref", "-d", Self.ownLeases + name, holder])
  }

  /// Checks that the repository takes what is sent from here, as far as it tells before something is sent.
  private func checkWritable() throws(SharingFault) {
    guard let seen = try seen() else { return }
    if case .refused(let reason) = try send("\(seen):refs/heads/\(branch)", ["--dry-run"]) {
      throw .refused(said: reason)
    }
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
  private func newLease() throws(SharingFault) -> String {
    let word = hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max) })
    let message = "Renew a token\n\n\(word)\n"
    let stream = """
      feature done
      reset \(Self.newLease)
      commit \(Self.newLease)
      committer llavero <llavero@localhost> now
      data \(message.utf8.count)
      \(message)
      done

      """
    _ = try git.output(["fast-import", "--quiet", "--force", "--date-format=now"], sending: Secret(stream))
    guard let commit = try commit(of: Self.newLease) else {
      throw .failed(operation: "fast-import", status: 0, said: "it has made no commit")
    }
    return commit
  }

  /// The commit that a reference of the remote leads to; `nil` if there is none.
  private func remoteCommit(of reference: String) throws(SharingFault) -> String? {
    let output = try git.output(["ls-remote", "--quiet", "--", remote, reference])
    // COMMIT TAB REFERENCE
    guard let line = Self.lines(output).first else { return nil }
    let commit = line.utf8.prefix { $0 != 0x09 }
    guard 40...64 ~= commit.count, commit.allSatisfy({ hexadecimalValue($0) != nil }) else {
      throw .failed(operation: "ls-remote", status: 0, said: "its answer can't be understood")
    }
    return String(commit)
  }
}
