import Terminals

extension KnownTool {
  /// The AWS CLI and SDKs.
  static let aws = KnownTool(
    ToolSetup(
      name: "aws", programs: ["aws"],
      settings: { (place) throws(Failure) in
        let file = ConfigurationFile(path: place.path("AWS_CONFIG_FILE") ?? place.home(".aws/config"))
        let command = "\"\(try ProgramLinks.program())\" aws --profile \"\(place.profile)\""
        return [(file, [AWSProfile.setting("credential_process", is: command, for: place.profile)])]
      },
      next: "store the key with 'llavero add --service aws:PROFILE --account ACCESS-KEY-ID'"),
    speaks: "aws", page: "llavero-aws(1)")
}
