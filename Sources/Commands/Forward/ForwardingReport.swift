import Bytes
import CLinux
import CredentialProtocols
import EncryptedFile
import Forwarding
import Glibc
import Keychain
import ToolCommands

/// The findings of `llavero doctor` if this machine's keychain is forwarded: whether hosts could get anything, and
/// whether ssh would forward the keychain to hosts that were set up or have rules.
struct ForwardingReport {
  private(set) var findings: [IntegrationReport.Finding] = []

  private let places: ForwardingPlaces
  /// How many hosts to ask ssh about: each takes some time.
  private static let maximumHosts = 20

  /// Runs the checks, and ssh to read its configuration; `nil` if nothing is forwarded from this machine.
  init?() {
    guard let places = try? ForwardingPlaces(), let home = VaultLocation.environmentVariable("HOME") else {
      return nil
    }
    self.places = places
    let inclusion = SSHInclusion(folder: home + "/.ssh")
    let hosts = (try? inclusion.hosts()) ?? []
    var rules: [ForwardingRule] = []
    do throws(RuleStore.Fault) {
      rules = try RuleStore(at: places.rules).read().rules
      if hosts.isEmpty, rules.isEmpty { return nil }
      add("rules", rules.isEmpty ? "none; each request is asked about" : "\(places.rules)")
    } catch {
      add(
        "rules", places.rules, "no host may have anything: \(error.text)",
        "mend the file with an editor; llavero-forward(1) has its format")
    }
    let running = try? ForwardingAgentControl(places)
    add("agent", running.map { "process \($0.process)" } ?? "does not run; ssh starts it")
    if !hosts.isEmpty, (try? inclusion.isIncluded()) == false {
      add(
        "ssh", "~/.ssh/config", "it does not include llavero.conf, so ssh does not forward the keychain",
        "\(words: "llavero", "forward", "setup", hosts[0])")
    } else if running != nil {
      for host in hosts.filter({ !$0.contains("*") && !$0.contains("?") }).prefix(Self.maximumHosts) {
        checkSetUp(host)
      }
    }
    let named = Set(rules.compactMap(\.hostForSSH)).subtracting(hosts).sorted()
    for host in named.prefix(Self.maximumHosts) { checkNamed(host, home) }
  }

  private mutating func add(
    _ subject: String, _ value: String?, _ problem: String? = nil, _ remedy: Hint? = nil
  ) {
    findings.append(
      IntegrationReport.Finding(subject: subject, value: value, problem: problem, remedy: remedy))
  }

  /// Checks a host of `llavero forward setup`.
  private mutating func checkSetUp(_ host: String) {
    guard let options = SSHConfiguration.options(for: host) else {
      return add(host, nil, "ssh's configuration can't be read", "\(words: "ssh", "-G", host)")
    }
    if options["identityagent"] == places.forwardingSocket, options["forwardagent"] == "yes" {
      add(host, "ssh forwards the keychain to it")
    } else {
      add(host, nil, "ssh would not forward the keychain to it", "\(words: "ssh", "-G", host)")
    }
  }

  /// Checks a host with a rule, and perhaps with a person's own line in ssh's configuration.
  private mutating func checkNamed(_ host: String, _ home: String) {
    guard let options = SSHConfiguration.options(for: host),
      let path = options["forwardagent"].map({ expanded($0, home) })
    else { return }
    if path == "yes", options["identityagent"].map({ expanded($0, home) }) == places.forwardingSocket {
      return add(host, "ssh forwards the keychain to it")
    }
    guard path == places.forwardingSocket else { return }
    // ssh looks at another socket before it forwards this one, and says nothing if that is missing.
    let reason: String? =
      if options["identityagent"] == "none" {
        "IdentityAgent is none"
      } else if let own = VaultLocation.environmentVariable("SSH_AUTH_SOCK") {
        answers(own) ? nil : "nobody answers at SSH_AUTH_SOCK, \(own)"
      } else {
        "SSH_AUTH_SOCK is not set"
      }
    if let reason {
      add(
        host, "ForwardAgent \(path)", "ssh drops that without a word, because \(reason)",
        "\(words: "llavero", "forward", "setup", host)")
    } else {
      add(host, "ssh forwards the keychain to it")
    }
  }

  private func expanded(_ path: String, _ home: String) -> String {
    for mark in ["~/", "%d/"] where path.hasPrefix(mark) { return "\(home)/\(path.dropFirst(mark.count))" }
    return path
  }

  private func answers(_ path: String) -> Bool {
    let descriptor = clinux_connect_unix(path, path.utf8.count, false, 1000)
    if descriptor < 0 { return false }
    close(descriptor)
    return true
  }

  func text() -> TextForTerminal { IntegrationReport.text(of: findings, about: "forwarding") }

  var report: [JSONObject] { findings.map(\.report) }
}

extension ForwardingRule {
  /// The host as you type it for ssh; `nil` for a fingerprint, a socket, and a name with a port.
  fileprivate var hostForSSH: String? {
    guard case .name(let name) = host, !name.description.hasPrefix("[") else { return nil }
    return name.description
  }
}
