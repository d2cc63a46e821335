import Bytes
import Glibc
import Keychain
import KeychainChoice
import OpenBao
import SignIn
import ToolCommands

/// A keychain on a server, from a person's description of a new one or of changes.
struct DescribedOpenBao {
  /// Its entry for the list.
  let keychain: ListedKeychain
  /// Whether this machine's files about the former one, its copies first, no longer belong to this one.
  let isAnother: Bool

  /// - Parameters:
  ///   - settings: `NAME=VALUE`; without a value, the former one is removed.
  ///   - former: the keychain of that name; `nil` to add one.
  /// - Throws: ``KeychainError`` for invalid settings, and if the former server's login would go to another one.
  init(_ name: String, at place: String, _ settings: [String], changing former: ListedKeychain?)
    throws(KeychainError)
  {
    var given: [ListedKeychain.Option] = []
    for setting in settings {
      guard let option = ListedKeychain.Option(setting) else {
        throw .failure("'\(setting)' is not an option: it has to be NAME=VALUE", status: .usage)
      }
      given.append(option)
    }
    var options = given
    if let former {
      if !former.kind.isOnServer {
        throw .failure("the keychain \(name) is of the kind \(former.kind.rawValue)", status: .usage)
      }
      options = former.options.filter { option in !given.contains { $0.name == option.name } }
      options += given.filter { !$0.value.isEmpty }
    }
    keychain = ListedKeychain(name, .openBao, at: place, options)
    let described = try Self.understood(keychain)
    try Self.checkFiles(of: keychain)
    guard let former, let known = try? Self.understood(former) else {
      isAnother = former != nil
      return
    }
    if !known.server.addresses[0].hasSameOrigin(as: described.server.addresses[0]) {
      // Options that lead a token to the server, or name one of its nodes, are for the former one until somebody says
      // otherwise.
      for option in keychain.options where !given.contains(option) {
        let isFormers =
          ["address", "token-from", "jwt-file"].contains(option.name)
          || option.name == "login" && option.value == "kubernetes"
        if !isFormers { continue }
        throw .failure(
          "the option '\(option.name)' is about \(known.server.name), and stays only if you say it again",
          hint: "'--set \(prose: option.name)=' takes it away", status: .usage)
      }
    }
    isAnother = known.origin != described.origin || described.copies.maximumAge == 0
  }

  private static func understood(_ keychain: ListedKeychain) throws(KeychainError) -> OpenBaoSettings {
    do throws(OpenBaoSettings.Fault) {
      return try OpenBaoSettings(
        place: keychain.place, options: keychain.options.map { ($0.name, $0.value) })
    } catch {
      throw .failure(error.text, hint: "see llavero-openbao(7)", status: .usage)
    }
  }

  /// Checks that files for certificates and keys hold some, in PEM.
  private static func checkFiles(of keychain: ListedKeychain) throws(KeychainError) {
    for option in keychain.options where ["ca", "cert", "key"].contains(option.name) {
      let file = "the file \(option.value) of the option '\(option.name)'"
      let descriptor = open(option.value, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor < 0 { throw .failure("cannot read \(file): \(errorText(errno))", status: .usage) }
      defer { close(descriptor) }
      let text = try StandardStreams.readAll(descriptor, limit: 16 << 20, what: file)
      let isKey = option.name == "key"
      if text.withUnsafeBytes({ Self.hasHeading($0, isKey ? "PRIVATE KEY-----" : "CERTIFICATE-----") }) {
        continue
      }
      throw .failure(
        "\(file) has no \(isKey ? "private key" : "certificate") in the PEM form", status: .usage)
    }
  }

  /// Whether a line begins a PEM part (RFC 7468, section 2) whose label ends in this way.
  private static func hasHeading(_ text: UnsafeRawBufferPointer, _ ending: StaticString) -> Bool {
    let (begin, ending): (StaticString, _) = ("-----BEGIN ", ending.bytes)
    var lines = Lines(text)
    while let line = lines.next() {
      let count = line.last == 0x0d ? line.count - 1 : line.count
      if line.starts(with: begin.bytes), count >= ending.count,
        line[(count - ending.count)..<count].elementsEqual(ending)
      {
        return true
      }
    }
    return false
  }
}
