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
      let host = service.hosts.first { !$0.hasPrefix(".") } ?? "HOST"
      let setting = "credential.\(service.isOfMail ? "imaps" : "https")://\(host)"
      sentences.append("\(beforeCommand)git config --global \(setting).oauthClientId ID")
      if service.needsSecret {
        let exception = service.sparesSecretForCodes ? ", except with --device" : ""
        sentences.append("needs the client's secret too, as oauthClientSecret\(exception)")
      }
    }
    sentences.append("ways: --browser\(service.hasDeviceCode ? ", --device" : ""), --paste")
    return sentences
  }
}
