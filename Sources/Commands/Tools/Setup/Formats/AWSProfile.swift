import Bytes
import Interchange

enum AWSProfile {
  /// The option by which a profile asks llavero.
  static func setting(_ command: String, for profile: String) -> INISetting {
    let key = "credential_process"
    var setting = INISetting(
      [(section(profile), key, command)],
      command: OwnCommand(
        programs: ["aws"], file: "config", variables: { [("AWS_CONFIG_FILE", "\($0)/config")] },
        arguments: { _, _ in ["configure", "set", key, command, "--profile", profile] }))
    setting.isSection = { section, _ in name(ofSection: section) == profile }
    return setting
  }

  /// The options of a profile by which the CLI logs in before it asks `credential_process` (the order of providers in
  /// botocore 1.43). It takes keys in the same file after that; the SDKs for Go and Java are said to take them before,
  /// which was not tried.
  static let comeFirst = ["role_arn", "sso_account_id", "sso_role_name", "login_session"]

  static func options(
    in text: [UInt8], section isSection: (String) -> Bool
  ) throws(ConfigurationFault) -> [String] {
    try INIDocument(strictly: text).options.filter { isSection($0.section.description) }.map(
      \.name.description)
  }

  /// The SDKs split the section's name as a shell would.
  private static func section(_ profile: String) -> String {
    if profile == "default" { return profile }
    let isPlain = profile.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.@/:+-".contains($0)) }
    return isPlain ? "profile \(profile)" : "profile \"\(profile)\""
  }

  /// The profile of a section; `nil` if it isn't a profile, or has a name that llavero wouldn't accept.
  static func name(ofSection section: String) -> String? {
    if section == "default" { return section }
    guard section.hasPrefix("profile"), let first = section.dropFirst(7).first, first == " " || first == "\t"
    else {
      return nil
    }
    let name = section.dropFirst(7).drop { $0 == " " || $0 == "\t" }
    if let quote = name.first, quote == "\"" || quote == "'" {
      let inside = name.dropFirst().prefix { $0 != quote }
      return name.count == inside.count + 2 ? String(inside) : nil
    }
    return name.contains(where: { " \t\"'\\".contains($0) }) ? nil : String(name)
  }
}
