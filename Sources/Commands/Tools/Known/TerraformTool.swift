import Keychain
import ToolCommands

extension KnownTool {
  static let terraform = KnownTool(
    setup("terraform", program: "terraform", file: ".terraformrc"), speaks: "terraform",
    imports: ["terraform"], page: "terraform-credentials-llavero(1)",
    recipes: ["terraform": recipe("terraform", program: "terraform")])

  static let opentofu = KnownTool(
    setup("opentofu", program: "tofu", file: ".tofurc"), speaks: "terraform",
    imports: ["terraform"], page: "terraform-credentials-llavero(1)",
    recipes: ["tofu": recipe("opentofu", program: "tofu")])

  /// Setup for Terraform or its fork OpenTofu, which reads plugins in the same place.
  private static func setup(_ name: String, program: String, file: String) -> ToolSetup {
    ToolSetup(
      name: name, programs: [program],
      settings: { (place) throws(KeychainError) in
        [ToolSetting(configuration(place, file), TerraformHelperBlock(helper: "llavero"))]
      },
      links: { (place) throws(KeychainError) in
        [(place.home(".terraform.d/plugins"), "terraform-credentials-llavero")]
      },
      earlier: { place in
        let file = configuration(place, file)
        // Terraform 1.11 takes all of these before it asks the helper, and reads the folder unless a file is named.
        let folder = place.path("TF_CLI_CONFIG_FILE") == nil ? place.home(".terraform.d") : nil
        return ([file] + ConfigurationFile.all(in: folder, endingWith: [".tfrc", ".tfrc.json"])).map { file in
          EarlierAnswers(in: file) { (text) throws(ConfigurationFault) in
            let hosts =
              file.path.hasSuffix(".json")
              ? try EarlierAnswers.members(of: "credentials", in: text).map(\.name)
              : try TerraformHelperBlock.labels(of: "credentials", in: text)
            return hosts.map { "\(name) takes the token for \($0) from here, and doesn't ask llavero" }
          }
        }
      }, next: { _ in "log in again with \(command: program, "login", "HOST")" })
  }

  private static func recipe(_ name: String, program: String) -> String {
    """
        llavero setup \(name)
        llavero add --domain terraform https://tf.example
        \(program) init

    \(program) gets modules from tf.example with that token, which
    '\(program) login tf.example' stores as well.
    """
  }

  private static func configuration(_ place: SetupPlace, _ file: String) -> ConfigurationFile {
    ConfigurationFile(path: place.path("TF_CLI_CONFIG_FILE") ?? place.home(file))
  }
}
