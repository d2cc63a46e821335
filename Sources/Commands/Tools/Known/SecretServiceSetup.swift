import EncryptedFile
import Glibc
import Keychain
import ToolCommands

extension ToolSetup {
  /// Makes a message bus start `llavero serve` as soon as a program wants the Secret Service. It is no tool that logs
  /// in, so it is not among ``all``.
  static let secretService = ToolSetup(
    name: "secret-service", programs: [],
    settings: { (place) throws(KeychainError) in
      let program = try place.plain(try LastingPath.ofProgram())
      let command = ([program, "serve"] + place.serveOptions).joined(separator: " ")
      let activation = BusActivation.ownFile(place)
      let section = "D-BUS Service"
      let options = [(section, "Name", BusActivation.name), (section, "Exec", command)]
      let portal = PortalChoice.setting(place).map { [$0] } ?? []
      guard UserUnit.isWanted(place) else {
        return [ToolSetting(activation, INISetting(options, separator: "="))] + portal
      }
      let all = options + [(section, "SystemdService", UserUnit.name)]
      // The bus must not be told of a missing unit.
      return [
        ToolSetting(UserUnit.file(place), UserUnit.setting(command)),
        ToolSetting(activation, INISetting(all, separator: "=")),
      ] + portal
    },
    next: { place in
      PortalChoice.setting(place) == nil
        ? "programs that keep secrets there find it when they look for it; see 'man llavero-serve'"
        : "sandboxed programs find it after \(command: "systemctl", "--user", "restart", "xdg-desktop-portal")"
    })
}

/// The unit by which systemd starts the service when the bus asks for it, so that it belongs to the person's session
/// and its messages are in the journal (systemd.service(5)).
enum UserUnit {
  static let name = "llavero-secret-service.service"

  static func file(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: place.config("systemd/user/\(name)"))
  }

  /// Whether systemd manages this person's services, or a unit is there that has to be removed.
  static func isWanted(_ place: SetupPlace) -> Bool {
    if access(file(place).path, F_OK) == 0 { return true }
    return place.variable("XDG_RUNTIME_DIR").map { access("\($0)/systemd/private", F_OK) == 0 } ?? false
  }

  static func setting(_ command: String) -> INISetting {
    // systemd replaces sequences with a percent sign.
    let command = command.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    let options = [
      ("Unit", "Description", "Secret Service from llavero's keychain"),
      ("Unit", "Documentation", "man:llavero-serve(1)"), ("Service", "Type", "dbus"),
      ("Service", "BusName", BusActivation.name), ("Service", "ExecStart", command),
      ("Service", "Slice", "session.slice"),
    ]
    return INISetting(options, separator: "=")
  }
}

/// The files that tell a message bus which program to start for the Secret Service's name (D-Bus specification,
/// "Message Bus Starting Services").
enum BusActivation {
  static let name = "org.freedesktop.secrets"

  /// Whether there is likely to be a session bus.
  static var mayHaveBus: Bool {
    if let address = VaultLocation.environmentVariable("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
    return access("/run/user/\(geteuid())/bus", F_OK) == 0
  }

  /// The file of `llavero setup`: D-Bus wants it to be named after the service.
  static func ownFile(_ place: SetupPlace) -> String {
    "\(place.dataHome)/dbus-1/services/\(name).service"
  }

  /// The file by which a bus would start another program for the name, and that program. The first file decides.
  static func ofAnother(_ place: SetupPlace) -> (path: String, program: String)? {
    let others = place.dataFolders.map { "\($0)/dbus-1/services/\(name).service" }
    let runtime = place.variable("XDG_RUNTIME_DIR").map { "\($0)/dbus-1/services/\(name).service" }
    for path in [runtime, ownFile(place)].compactMap({ $0 }) + others {
      guard let text = try? ConfigurationFile(path: path).anybodysContents() else { continue }
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      guard let command = lines.first(where: { $0.hasPrefix("Exec=") })?.dropFirst(5) else { continue }
      let program = command.split(separator: " ").first.map(String.init) ?? ""
      // This person's own file may name an llavero that has moved.
      let isOwn = ProgramLinks.isOwn(program) || path == ownFile(place) && NamedPath.isLlavero(program)
      return isOwn ? nil : (path, String(command))
    }
    return nil
  }

  /// - Throws: ``KeychainError`` if the bus would not find ``ownFile(_:)``. It ignores HOME: without XDG_DATA_HOME, it looks
  ///   in the home of the user database.
  static func refuseOtherHome(_ place: SetupPlace) throws(KeychainError) {
    if place.variable("XDG_DATA_HOME") != nil { return }
    guard let users = try? ConfigurationFile(path: "/etc/passwd").anybodysContents() else { return }
    let user = "\(geteuid())"
    let entries: [[Substring]] = String(decoding: users, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ":", omittingEmptySubsequences: false)
    }
    let own = entries.first { $0.count == 7 && $0[2] == user }
    guard let home = own?[5], !home.isEmpty, "\(home)/.local/share" != place.home(".local/share") else {
      return
    }
    throw .failure(
      "the bus looks for services in \(home)/.local/share, and not in \(place.home(".local/share"))",
      hint: "set XDG_DATA_HOME, for the bus and for this command", status: .usage)
  }

  /// - Throws: ``KeychainError`` if another program provides the Secret Service now, or a bus would start one.
  static func refuseAnother(_ place: SetupPlace) throws(KeychainError) {
    guard let access = Program.secretService else { return }
    let hint: Hint =
      "\(command: "llavero", "setup", "secret-service", "--replace") starts llavero in its place from the next login on"
    if let owner = access.owner(), !owner.isOurs {
      throw .failure(
        "\(owner.program ?? "another program") provides the Secret Service here already", hint: hint,
        status: .usage)
    }
    if let other = ofAnother(place) {
      throw .failure(
        "\(other.path) makes the bus start \(other.program) for it", hint: hint, status: .usage)
    }
  }
}
