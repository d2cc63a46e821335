import Bytes
public import Keychain

/// The protocol of Ansible's vault password client scripts: `--vault-id ID` as argument, and the password on standard
/// output (ansible-vault(1), "Vault password client scripts").
public enum AnsibleProtocol: ToolProtocol {
  /// The ID of the vault.
  public static let options: [ToolOption] = [.value("--vault-id")]

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero-vault-client [OPTION...] [--vault-id ID]

    Ansible calls this by itself, for an ID of your choice, after:

      llavero add --service ansible:prod
      ansible-playbook --vault-id prod@/usr/local/bin/llavero-vault-client site.yml

    See llavero-vault-client(1).

    """

  /// Prints the password of a vault.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    guard call.operands.isEmpty else {
      throw .misused("this is for ansible to call", hint: "see 'llavero-vault-client --help'")
    }
    // Ansible's name for a vault without a name.
    let vault = call.value(of: "--vault-id").nonEmpty ?? "default"
    guard let answer = try Resolver(call).answer(toService: vault, sharing: .none) else {
      throw .failure(
        "the keychain has no password for ansible's vault \(vault)",
        hint: "store it with \(command: "llavero", "add", "--service", "ansible:\(vault)")",
        status: .nothingMatched)
    }
    var password = answer.credential.secret.copy()
    let lineBreaks: [UInt8] = [0x0a, 0x0d]
    let staysWhole = password.withUnsafeBytes { (bytes) -> Bool in
      guard let first = bytes.first, let last = bytes.last else { return false }
      return !lineBreaks.contains(first) && !lineBreaks.contains(last)
    }
    guard staysWhole else {
      throw .failure(
        "the password for ansible's vault \(vault) is empty, or has a line break at an end, which ansible cuts off",
        status: .keychain)
    }
    password.append("\n")
    try call.write(password)
    return 0
  }

  /// Reports the failure on standard error. For ansible, status 2 means only that the vault is unknown.
  public static func refuse(_ refusal: Failure, _ call: any ToolCall) -> Int32 {
    call.say(refusal)
    return switch refusal.status {
    case .nothingMatched: 2
    case .keychain: 1
    case .done, .usage: refusal.status.rawValue
    }
  }
}
