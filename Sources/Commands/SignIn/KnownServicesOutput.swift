import Bytes
import Keychain
import SignIn
import Terminals

enum KnownServicesOutput {
  static func write(asJSON: Bool) throws(KeychainError) {
    if asJSON {
      var json = JSONWriter()
      json.beginArray()
      for service in KnownService.all {
        json.beginObject()
        json.member("name", ByteString(service.name))
        json.member("provider", ByteString(service.provider))
        json.member("built_in_client", service.hasBuiltInClient)
        json.member("needs_secret", service.needsSecret)
        json.member("device_code", service.hasDeviceCode)
        json.member("redirect_uri", ByteString(service.redirectURI))
        json.member("registration", ByteString(service.registration))
        json.beginArray("mail_servers")
        if service.isOfMail { for host in service.hosts { json.element(ByteString(host)) } }
        json.endArray()
        json.endObject()
      }
      json.endArray()
      return try StandardStreams.write(json.finishLine())
    }
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
        if service.needsSecret {
          let exception = service.sparesSecretForCodes ? ", except with --device" : ""
          text += "  needs the client's secret too\(exception)\n"
        }
      }
      text += "  ways: --browser\(service.hasDeviceCode ? ", --device" : ""), --paste\n"
    }
    try StandardStreams.write("\(TextForTerminal(stringLiteral: text))")
  }
}
