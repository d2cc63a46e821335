import Keychain
import SignIn
import ToolCommands

enum KnownServicesOutput {
  static func write(_ output: OutputOptions) throws(KeychainError) {
    try output.write(KnownService.all.map(report), or: text(wrappedTo: TerminalStyle().width))
  }

  private static func report(_ service: KnownService) -> JSONObject {
    [
      "name": service.name, "provider": service.provider, "built_in_client": service.hasBuiltInClient,
      "needs_secret": service.needsSecret, "device_code": service.hasDeviceCode,
      "redirect_uri": service.redirectURI, "registration": service.registration,
      "mail_servers": service.isOfMail ? service.hosts : [],
    ]
  }

  /// - Parameter width: the number of the terminal's columns; `nil` leaves each sentence on a line.
  static func text(wrappedTo width: Int?) -> TextForTerminal {
    KnownService.all.reduce(into: "") { text, service in
      text += "\(service.name)\n"
      let rows = sentences(service).map { ["", $0] }
      text += columns(rows, wrappedTo: width) { $0[1].hasPrefix(beforeCommand) }
    }
  }

  /// What a sentence begins with whose command is pasted.
  private static let beforeCommand = "then: "

  private static func sentences(_ service: KnownService) -> [String] {
    var sentences: [String] = []
    if service.isOfMail { sentences.append("mail servers: \(service.hosts.joined(separator: ", "))") }
    if service.hasBuiltInClient {
      sentences.append("needs nothing")
    } else {
      sentences += [
        "needs a client of yours: \(service.registrationPage)", "redirect URI \(service.redirectURI)",
        service.choices,
      ]
      let setting = "\(beforeCommand)git config --global \(service.settingsSection)"
      sentences.append("\(setting).oauthClientId ID")
      if service.needsSecret { sentences.append("\(setting).oauthClientSecret SECRET") }
      if service.sparesSecretForCodes { sentences.append("--device needs no secret") }
    }
    sentences.append("ways: --browser\(service.hasDeviceCode ? ", --device" : ""), --paste")
    return sentences
  }
}
