import Keychain
import ToolCommands

extension KnownTool {
  static let aws = KnownTool(
    ToolSetup(
      name: "aws", programs: ["aws"],
      settings: { (place) throws(KeychainError) in
        let profile = profile(place)
        let program = try place.quotable(LastingPath.ofProgram())
        let command = "\"\(program)\" aws --profile \"\(profile)\""
        return [ToolSetting(configuration(place), AWSProfile.setting(command, for: profile))]
      },
      earlier: { place in
        let keys = place.path("AWS_SHARED_CREDENTIALS_FILE") ?? place.home(".aws/credentials")
        let profile = profile(place)
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
      parts: profiles,
      next: { place in
        let service = "aws:\(profile(place))"
        return
          "store the key with \(command: "llavero", "add", "--service", service, "--account", "ACCESS-KEY-ID")"
      }),
    speaks: "aws", imports: ["aws"], page: "llavero-aws(1)",
    recipes: [
      "aws": """
          llavero setup aws
          llavero add --service aws:default --account AKIAEXAMPLE
          aws sts get-caller-identity

      The account is the ID of the access key, and the secret is the key. aws prints
      who you are. Another profile: llavero setup aws --profile work, and aws:work.
      """
    ])

  private static let profiles = ToolSetup.Parts(name: "profile", usual: { _ in "default" })

  private static func profile(_ place: SetupPlace) -> String { place.part(profiles) ?? "default" }

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: place.path("AWS_CONFIG_FILE") ?? place.home(".aws/config"))
  }
}
