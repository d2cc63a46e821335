import Keychain
import ToolCommands

extension KnownTool {
  /// pnpm runs a program for a registry's token, and takes its output as the header's value. A person's own .npmrc
  /// names the program by an absolute path, without arguments: a project's file doesn't count, and only later versions
  /// take arguments, and add a scheme to a token without one.
  static let pnpm = KnownTool(
    ToolSetup(
      name: "pnpm", programs: ["pnpm"],
      settings: { (place) throws(KeychainError) in
        let registry = place.part(registries) ?? "REGISTRY"
        let name = registry.map { "/:".contains($0) ? "+" : "\($0)" }.joined()
        let helper = place.home(".local/bin/llavero-pnpm-\(name)")
        let program = try place.plain(LastingPath.ofProgram())
        return [
          ToolSetting(
            place.path("NPM_CONFIG_USERCONFIG") ?? place.home(".npmrc"),
            VariableLines(.npm, "//\(registry)/:tokenHelper", is: try place.plain(helper))),
          ToolSetting(
            ConfigurationFile(path: helper, isProgram: true),
            ProgramText(prefix: "Bearer ", command: "\(program) get --service \(service(of: registry))")),
        ]
      },
      parts: registries,
      isUnclear: { place in
        if place.part(registries) != nil { return nil }
        return .failure(
          "pnpm asks for the token of one registry; name it",
          hint: "\(command: "llavero", "setup", "pnpm", "--registry", "registry.npmjs.org")", status: .usage)
      },
      next: { place in
        "store its token with \(command: "llavero", "add", "--service", service(of: place.part(registries) ?? "")), without which pnpm gets nothing from there any more"
      }),
    imports: ["npm"], page: "llavero-run(1)",
    recipes: [
      "pnpm": """
          llavero setup pnpm --registry npm.example
          llavero add --service npm:npm.example
          pnpm whoami --registry https://npm.example

      pnpm asks llavero for the token of that registry, and prints your name. Without
      a token there, pnpm gets nothing from that registry.
      """
    ])

  /// npm's token for a registry is stored under the same service.
  private static func service(of registry: String) -> String {
    registry == "registry.npmjs.org" ? "npm" : "npm:\(registry)"
  }

  private static let registries = ToolSetup.Parts(
    name: "registry", usual: { _ in (try? SetupRecord.read("pnpm"))?.changes.compactMap(\.part).first })
}
