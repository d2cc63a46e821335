import Keychain
import ToolCommands

/// The state of a tool's configuration with regard to llavero.
struct SetupState {
  /// `nil` if the tool isn't on the PATH.
  let program: String?
  let file: String
  /// The program in the configuration now, if there is one.
  let uses: String?
  /// Whether that is llavero, as `llavero setup` would write it, and the tool finds it.
  let isSetUp: Bool
  /// Why the state is unknown, or the tool doesn't find llavero.
  let fault: String?
  /// Missing links, and links and configured paths that lead elsewhere: where each is, and a sentence. Setting the
  /// tool up again mends them.
  let strays: [(path: String, sentence: String)]

  /// Reads the state, and changes nothing.
  init(of tool: ToolSetup, _ place: SetupPlace) {
    program = tool.programs.lazy.compactMap(ProgramLinks.found).first
    var (file, uses, isSetUp) = ("", String?.none, false)
    let fault: String?
    do throws(KeychainError) {
      let settings = try tool.settings(place)
      isSetUp = true
      for setting in settings {
        if file.isEmpty { file = setting.file.path }
        let text = try setting.file.contents() ?? []
        do throws(ConfigurationFault) {
          let present = try setting.format.reading(of: text).current
          uses = uses ?? present
          if try !setting.format.isMade(in: text) { isSetUp = false }
        } catch {
          throw .failure("\(setting.file.path) can't be used: \(error.reason)", status: .keychain)
        }
      }
      fault = nil
    } catch {
      isSetUp = false
      fault = error.message
    }
    strays = Self.strays(of: tool, place, needsLinks: isSetUp)
    if !strays.isEmpty { isSetUp = false }
    self.fault = fault ?? strays.first.map { "llavero, but \($0.sentence)" }
    (self.file, self.uses, self.isSetUp) = (file, uses, isSetUp)
  }

  /// - Parameter needsLinks: whether the configuration names llavero, so that the tool looks for its links.
  private static func strays(
    of tool: ToolSetup, _ place: SetupPlace, needsLinks: Bool
  ) -> [(path: String, sentence: String)] {
    var strays: [(path: String, sentence: String)] = []
    for setting in (try? tool.settings(place.forRemoving)) ?? [] {
      let file = setting.file
      guard let text = try? file.contents(), let reading = try? setting.format.reading(of: text) else {
        continue
      }
      let paths = reading.setting.flatMap { NamedPath.all(in: $0.value) }
      strays += paths.compactMap(\.fault).map { (file.path, $0) }
    }
    // A link that doesn't lead here counts if it is needed, or was made for the tool.
    let recorded = (try? SetupRecord.read(tool.name))?.links ?? []
    for path in ((try? tool.links(place)) ?? []).map({ "\($0.folder)/\($0.name)" })
    where !ProgramLinks.isOwn(path) {
      if !ProgramLinks.isThere(path) {
        if needsLinks { strays.append((path, "there is no link \(path)")) }
      } else if needsLinks || recorded.contains(path), ProgramLinks.isOwnLink(path),
        let fault = NamedPath(path: path).fault
      {
        strays.append((path, fault))
      }
    }
    return strays
  }
}
