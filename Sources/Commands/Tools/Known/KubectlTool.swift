extension KnownTool {
  /// kubectl. Its configuration names a program for each user.
  static let kubectl = KnownTool(name: "kubectl", speaks: "kubectl", page: "llavero-kubectl(1)")
}
