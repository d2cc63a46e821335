extension KnownTool {
  /// Programs that read a netrc file, which exists only while they run.
  static let netrc = KnownTool(name: "netrc", speaks: "netrc", page: "llavero-run(1)")
}
