import Terminals

extension KnownTool {
  /// Terraform.
  static let terraform = KnownTool(
    setup("terraform", program: "terraform", file: ".terraformrc"), speaks: "terraform",
    page: "terraform-credentials-llavero(1)")

  /// OpenTofu.
  static let opentofu = KnownTool(
    setup("opentofu", program: "tofu", file: ".tofurc"), speaks: "terraform",
    page: "terraform-credentials-llavero(1)")

  /// Setup for Terraform or its fork OpenTofu, which reads plugins in the same place.
  private static func setup(_ name: String, program: String, file: String) -> ToolSetup {
    ToolSetup(
      name: name, programs: [program],
      settings: { (place) throws(Failure) in
        let path = place.path("TF_CLI_CONFIG_FILE") ?? place.home(file)
        return [(ConfigurationFile(path: path), [TerraformHelperBlock(helper: "llavero")])]
      },
      links: { (place) throws(Failure) in
        [(place.home(".terraform.d/plugins"), "terraform-credentials-llavero")]
      }, next: "log in again with '\(program) login HOST'")
  }
}
