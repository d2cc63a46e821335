extension KnownTool {
  /// Summon.
  static let summon = KnownTool(name: "summon", speaks: "summon", page: "llavero-vault-client(1)")
}
