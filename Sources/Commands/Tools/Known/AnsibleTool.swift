extension KnownTool {
  /// Ansible, for the passwords of its vaults.
  static let ansible = KnownTool(name: "ansible", speaks: "ansible", page: "llavero-vault-client(1)")
}
