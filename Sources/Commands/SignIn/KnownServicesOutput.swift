import Keychain
import SignIn
import ToolCommands

enum KnownServicesOutput {
  static func write(_ output: OutputOptions) throws(KeychainError) {
    try output.write(KnownService.all.map(report), or: text)
  }

  private static func report(_ service: KnownService) -> JSONObject {
    [
      "name": service.name, "provider": service.provider, "built_in_client": service.hasBuiltInClient,
      "needs_secret": service.needsSecret, "device_code": service.hasDeviceCode,
      "redirect_uri": service.redirectURI, "registration": service.registration,
      "mail_servers": service.isOfMail ? service.hosts : [],
    ]
  }

  private static var text: TextForTerminal {
    var text = ""
    for service in KnownService.all {
      text += "\(service.name)\n"
      if service.isOfMail { text += "  mail servers: \(service.hosts.joined(separator: ", "))\n" }
      if service.hasBuiltInClient {
        text += "  needs nothing\n"
      } else {
        text += "  needs a client of yours: \(service.registrationPage)\n"
        text += "  redirect URI \(service.redirectURI)\n"
        text += "  \(service.choices)\n"
        let setting =
          "credential.\(service.isOfMail ? "imaps" : "https")://\(service.hosts.first { !$0.hasPrefix(".") } ?? "HOST")"
        text += "  then: git config --global \(setting).oauthClientId ID\n"
        if service.needsSecret {
          let exception = service.sparesSecretForCodes ? ", except with --device" : ""
          text += "  needs the client's secret too, as oauthClientSecret\(exception)\n"
        }
      }
      text += "  ways: --browser\(service.hasDeviceCode ? ", --device" : ""), --paste\n"
    }
    return TextForTerminal(stringLiteral: text)
  }
}
