extension KnownTool {
  /// Whatever reads a netrc file, which is made while it runs.
  static let netrc = KnownTool(name: "netrc", speaks: "netrc", page: "llavero-run(1)")
}
