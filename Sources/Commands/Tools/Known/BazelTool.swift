import Keychain
import ToolCommands

extension KnownTool {
  static let bazel = KnownTool(
    ToolSetup(
      name: "bazel", programs: ["bazel", "bazelisk"],
      settings: { (place) throws(KeychainError) in
        let helper = try place.plain(place.absolute("bazel-credential-llavero"))
        return [ToolSetting(place.home(".bazelrc"), BazelHelperLines(helper: helper, hosts: place.hosts))]
      },
      isUnclear: { place in
        if !place.hosts.isEmpty { return nil }
        return .failure(
          "bazel would ask for a login wherever a dependency comes from; name the hosts that may have one",
          hint: "\(command: "llavero", "setup", "bazel", "--host", "HOST")", status: .usage)
      },
      next: ToolSetup.nextIsLogin),
    speaks: "bazel", page: "llavero-goauth(1)",
    recipes: [
      "bazel": """
          llavero setup bazel --host packages.example
          llavero add https://packages.example --account alice
          bazel fetch //...

      bazel downloads from packages.example as alice, and asks llavero about no other
      host.
      """
    ])
}
