import Terminals

extension KnownTool {
  /// Bazel and bazelisk.
  static let bazel = KnownTool(
    ToolSetup(
      name: "bazel", programs: ["bazel", "bazelisk"],
      settings: { (place) throws(Failure) in
        let helper = try place.plain(place.absolute("bazel-credential-llavero"))
        return [
          (
            ConfigurationFile(path: place.home(".bazelrc")),
            [BazelHelperLines(helper: helper, hosts: place.hosts)]
          )
        ]
      }, needsHosts: true,
      next: { _ in "store a login with 'llavero add https://HOST --account NAME', unless git has one there" }),
    speaks: "bazel", page: "llavero-goauth(1)")
}
