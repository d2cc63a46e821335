import Bytes
import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice
import ToolCommands

extension ForwardedKind: ManagedKind {
  func status(of keychain: OpenKeychain) throws(KeychainError) -> KindStatus {
    let socket = keychain.forwarded?.path ?? ""
    let count = try keychain.own.items(matching: .all).count
    let others =
      keychain.forwarded?.isOfSandbox == true
      ? "all others are refused" : "about others, somebody there is asked, or they are refused"
    let rows = [
      ["keychain", "forwarded, \(keychain.choice.reasonText)"], ["socket", socket],
      ["protection", "nothing is stored here; the other machine decides about each request"],
      ["items", "\(count) without a question; \(others)"],
    ]
    return KindStatus(rows: rows, report: ["socket": socket, "items": count])
  }

  func describe(_ keychain: OpenKeychain, in row: inout KeychainRow) throws(KeychainError) {
    row.place = keychain.forwarded?.path ?? ""
    row.count = try keychain.own.items(matching: .all).count
  }

  func findings(_ selection: KeychainSelection) throws(KeychainError) -> [Finding]? {
    let location = try VaultLocation()
    let chosen = try? KeychainChoice.made(named: selection.name, at: location)?.kind
    let isMeant = chosen == kind || chosen == nil && KeychainEnvironment().namesForwarded
    do throws(KeychainError) {
      let keychain = try KeychainEnvironment().forwardedKeychain(for: selection.tool)
      var findings = [Finding("socket", keychain.path)]
      let count = try keychain.items(matching: .all).count
      findings.append(
        Finding("items", "\(count) without a question; the other machine decides about each request"))
      if let problem = keychain.probe().reason { findings.append(Finding("keychain", nil, problem: problem)) }
      return findings
    } catch {
      switch error.fault(ForwardingFault.self) {
      case .noSocket, .otherAgent: if !isMeant { return nil }
      default: break
      }
      return [Finding("socket", nil, problem: error)]
    }
  }

  var whyNotLockable: KeychainError {
    .failure(
      "the keychain is on another machine, which forwards it to this one",
      hint: "lock and unlock it there; it asks there by itself, too", status: .usage)
  }
}
