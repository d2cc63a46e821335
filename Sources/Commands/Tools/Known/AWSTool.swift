import Terminals

extension KnownTool {
  /// The AWS CLI and SDKs.
  static let aws = KnownTool(
    ToolSetup(
      name: "aws", programs: ["aws"],
      settings: { (place) throws(Failure) in
        let command = "\"\(try LastingPath.ofProgram())\" aws --profile \"\(place.profile)\""
        return [
          (configuration(place), [AWSProfile.setting("credential_process", is: command, for: place.profile)])
        ]
      },
      earlier: { place in
        let keys = place.path("AWS_SHARED_CREDENTIALS_FILE") ?? place.home(".aws/credentials")
        let profile = place.profile
        return [
          EarlierAnswers(in: ConfigurationFile(path: keys)) { (text) throws(ConfigurationFault) in
            let options = try AWSProfile.options(in: text) { $0 == profile }
            if options.contains("credential_process") {
              return [
                "the profile \(profile) has a credential_process here, which aws asks in place of llavero"
              ]
            }
            guard options.contains("aws_access_key_id") else { return [] }
            return [
              "aws takes the keys of the profile \(profile) from here, in plain text, and doesn't ask llavero"
            ]
          },
          EarlierAnswers(in: configuration(place)) { (text) throws(ConfigurationFault) in
            let options = try AWSProfile.options(in: text) { AWSProfile.name(ofSection: $0) == profile }
            if let first = options.first(where: AWSProfile.comeFirst.contains) {
              return ["the profile \(profile) has \(first), by which aws logs in before it asks llavero"]
            }
            guard options.contains("aws_access_key_id") else { return [] }
            return [
              "the profile \(profile) has keys in plain text, which some SDKs take before they ask llavero"
            ]
          },
        ]
      },
      next: { place in
        let service = "aws:\(place.profile)"
        return
          "store the key with \(command: "llavero", "add", "--service", service, "--account", "ACCESS-KEY-ID")"
      }),
    speaks: "aws", page: "llavero-aws(1)")

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: place.path("AWS_CONFIG_FILE") ?? place.home(".aws/config"))
  }
}
