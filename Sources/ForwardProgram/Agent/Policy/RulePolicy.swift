import Bytes
import Forwarding
import Keychain
import PrivateFiles

/// The policy of a person's rule file and known hosts, which are read again after changes.
final class RulePolicy<Cryptography: HostCryptography>: ForwardingPolicy {
  private let rulePath: String
  private let store: RuleStore
  private let knownHostsPaths: [String]
  private let cryptography: Cryptography
  private let mayAsk: () -> Bool
  private let log: (LoggedRequest) -> Void
  private let tell: (String) -> Void

  private var rules: ChangingFile<[ForwardingRule]>
  private var directory: HostDirectory<Cryptography>
  private var knownHostsStatus: [FileStatus?] = []

  /// - Parameters:
  ///   - rulePath: the rule file; without one there are no rules.
  ///   - knownHostsPaths: the files with known hosts; each may be missing.
  ///   - canAsk: whether there is a person to ask.
  ///   - log: receives each ended request.
  ///   - tell: receives a line that says why there are no rules.
  init(
    rulePath: String, knownHostsPaths: [String], _ cryptography: Cryptography,
    canAsk: @escaping () -> Bool, log: @escaping (LoggedRequest) -> Void, tell: @escaping (String) -> Void
  ) {
    self.rulePath = rulePath
    store = RuleStore(at: rulePath)
    self.knownHostsPaths = knownHostsPaths
    self.cryptography = cryptography
    mayAsk = canAsk
    self.log = log
    self.tell = tell
    rules = ChangingFile()
    directory = HostDirectory(KnownHosts(), cryptography)
  }

  func permissions(of keys: [HostKey]) -> (hosts: [VerifiedHost], permissions: Permissions)? {
    guard let rules = presentRules() else { return nil }
    readKnownHosts()
    let now = Timestamp.now
    let candidates = Array(Set(rules.map(\.host))).sorted()
    let hosts = keys.map { key in
      VerifiedHost(
        directory.name(of: key, among: candidates, at: now), fingerprint: key.fingerprint(cryptography))
    }
    return (hosts, Permissions(hosts: directory.rules(rules, about: keys, at: now), mayAsk: canAsk))
  }

  func permissions(ofSocket name: ByteString) -> (hosts: [VerifiedHost], permissions: Permissions)? {
    guard let rules = presentRules() else { return nil }
    let now = Timestamp.now
    let own = rules.filter { $0.host == .socket(name) && $0.counts(at: now) }
    return ([VerifiedHost(.socket(name), fingerprint: nil)], Permissions(hosts: [own], mayAsk: canAsk))
  }

  var canAsk: Bool { mayAsk() }

  func remember(_ rule: ForwardingRule) -> Bool {
    do throws(RuleStore.Fault) {
      let (_, durability) = try store.change { $0.set(rule, at: .now) }
      if case .unsure(let error) = durability {
        tell(
          "\(rulePath) is changed, but that may not survive a loss of power: \(RuleStore.Fault.file(error).text)"
        )
      }
      return true
    } catch {
      tell("\(rulePath) can't be changed: \(error.text)")
      return false
    }
  }

  func note(_ request: LoggedRequest) { log(request) }

  /// The present rules; `nil` if the file is unreadable or invalid.
  private func presentRules() -> [ForwardingRule]? {
    do throws(KeychainError) {
      guard let file = try OpenFile(path: rulePath, mayBeRead: true) else { return [] }
      if let known = rules.value(at: file.status) { return known }
      let text = try file.contents(limit: RuleFile.maximumSize)
      do throws(RuleFile.Malformed) {
        let read = try text.withUnsafeBytes { (bytes) throws(RuleFile.Malformed) in
          try RuleFile(parsing: bytes)
        }
        rules.set(read.rules, at: file.status)
        return read.rules
      } catch {
        tell(
          "line \(error.line) of \(rulePath) can't be understood (\(error.fault.text)), so no host may have anything"
        )
      }
    } catch {
      tell("\(rulePath) can't be used, so no host may have anything: \(RuleStore.Fault.file(error).text)")
    }
    return nil
  }

  private func readKnownHosts() {
    let files = knownHostsPaths.map { ReadableFile(path: $0) }
    let status = files.map { $0?.status }
    if status == knownHostsStatus { return }
    var known = KnownHosts()
    for file in files {
      guard let file, let text = file.contents() else { continue }
      text.withUnsafeBytes { known.append($0) }
    }
    directory = HostDirectory(known, cryptography)
    knownHostsStatus = status
  }
}

/// A file's parsed contents, and the state that they were read from.
private struct ChangingFile<Value> {
  private var known: (status: FileStatus, value: Value)?

  func value(at status: FileStatus) -> Value? {
    guard let known, known.status == status else { return nil }
    return known.value
  }

  mutating func set(_ value: Value, at status: FileStatus) { known = (status, value) }
}
