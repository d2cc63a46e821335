import Keychain
import ToolCommands

/// Which program gives sandboxed programs their secrets: what xdg-desktop-portal makes of its files (portals.conf(5)).
struct PortalChoice {
  private typealias Preference = (key: String, value: String)

  private static let interface = "org.freedesktop.impl.portal.Secret"
  /// The name of our file among the portals.
  private static let own = "llavero"
  private static let folder = "xdg-desktop-portal"
  private static let section = "preferred"

  private let place: SetupPlace
  private let desktops: [String]
  /// Those that give secrets.
  private let portals: [Portal]

  private init(_ place: SetupPlace) {
    self.place = place
    desktops = (place.variable("XDG_CURRENT_DESKTOP") ?? "").lowercased().split(separator: ":").map(
      String.init)
    portals = Self.dataFolders(place).flatMap(Portal.all)
  }

  /// The setting by which the portal asks llavero; `nil` where some program gives secrets without it, and where there is
  /// no portal, or llavero isn't installed where it looks.
  ///
  /// Files are not merged: a person's own file would hide those of the system, so it has the same preferences.
  static func setting(_ place: SetupPlace) -> ToolSetting? {
    let choice = PortalChoice(place)
    let system = choice.preferences(in: configurationFolders(place) + dataFolders(place))
    let copied = (system?.preferences ?? []).filter { $0.key != interface } + [(interface, own)]
    if let person = choice.preferences(in: [place.config(folder)]) {
      let isOurs = person.preferences.elementsEqual(copied, by: ==)
      if !isOurs, choice.isAnswered(person.preferences, noneIsAnAnswer: true) { return nil }
      return ToolSetting(person.path, setting(of: isOurs ? copied : [(interface, own)]))
    }
    guard choice.portals.contains(where: { $0.name == own }),
      !choice.isAnswered(system?.preferences ?? [], noneIsAnAnswer: false)
    else { return nil }
    let name = system.flatMap { $0.path.split(separator: "/").last }.map(String.init)
    return ToolSetting(place.config("\(folder)/\(name ?? "portals.conf")"), setting(of: copied))
  }

  private static func setting(of preferences: [Preference]) -> INISetting {
    INISetting(preferences.map { (section, $0.key, $0.value) }, separator: "=")
  }

  // MARK: Files

  private static func configurationFolders(_ place: SetupPlace) -> [String] {
    let folders = (place.variable("XDG_CONFIG_DIRS") ?? "/etc/xdg").split(separator: ":").map(String.init)
    return (folders + ["/etc"]).map { "\($0)/\(folder)" }
  }

  private static func dataFolders(_ place: SetupPlace) -> [String] {
    var seen: Set<String> = []
    return ([place.dataHome] + place.dataFolders + ["/usr/share"]).filter { seen.insert($0).inserted }.map {
      "\($0)/\(folder)"
    }
  }

  /// The first file with preferences: in each folder, those of a desktop come before those of all.
  private func preferences(in folders: [String]) -> (path: String, preferences: [Preference])? {
    for folder in folders {
      for name in desktops.map({ "\($0)-portals.conf" }) + ["portals.conf"] {
        let preferences = Self.values(of: Self.section, in: "\(folder)/\(name)")
        if !preferences.isEmpty { return ("\(folder)/\(name)", preferences) }
      }
    }
    return nil
  }

  /// The settings of a section (Desktop Entry Specification, "Basic format of the file"); none of a file that can't be
  /// read.
  private static func values(of wanted: String, in path: String) -> [Preference] {
    guard let text = try? ConfigurationFile(path: path).anybodysContents() else { return [] }
    var values: [Preference] = []
    var isWanted = false
    for line in text.split(separator: 0x0a) {
      let line = String(decoding: line, as: UTF8.self).filter { $0 != "\r" }
      if line.hasPrefix("[") {
        isWanted = line == "[\(wanted)]"
      } else if isWanted, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let parts = [line[..<equals], line[line.index(after: equals)...]].map { part in
          String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        values.append((parts[0], parts[1]))
      }
    }
    return values
  }

  private static func list(_ value: String) -> [String] { value.split(separator: ";").map(String.init) }

  /// What a program that gives secrets says of itself.
  private struct Portal {
    let name: String
    let desktops: [String]

    static func all(in folder: String) -> [Portal] {
      FolderFiles.names(in: "\(folder)/portals", endingWith: ".portal").compactMap { name in
        let values = values(of: "portal", in: "\(folder)/portals/\(name).portal")
        func value(_ key: String) -> [String] { list(values.first { $0.key == key }?.value ?? "") }
        guard value("Interfaces").contains(interface) else { return nil }
        return Portal(name: "\(name)", desktops: value("UseIn").map { $0.lowercased() })
      }
    }
  }

  // MARK: The choice

  private func isAnswered(_ preferences: [Preference], noneIsAnAnswer: Bool) -> Bool {
    func names(_ key: String) -> [String]? { preferences.last { $0.key == key }.map { Self.list($0.value) } }
    let chosen = names(Self.interface)
    let usual = names("default") ?? []
    if (chosen ?? usual).contains("none") { return noneIsAnAnswer }
    return ((chosen ?? []) + usual).contains { name in
      name == "*" ? !portals.isEmpty : portals.contains { $0.name == name }
    } || portals.contains { !$0.desktops.filter(desktops.contains).isEmpty }
  }
}
