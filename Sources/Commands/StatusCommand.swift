import ArgumentParser
import Keychain

/// `llavero status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say which keychain is used, where it is and what protects it")

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let status = try KeychainStatus(of: try keychain.encryptedFile(mayAsk: false))
    try StandardStreams.write(output.json ? status.json() : Secret(status.text()))
  }
}
