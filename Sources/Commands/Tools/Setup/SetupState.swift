import Terminals

/// The state of a tool's configuration with regard to llavero.
struct SetupState {
  /// The path of the tool; `nil` if it isn't on the PATH.
  let program: String?
  /// The path of the configuration file.
  let file: String
  /// What the configuration names now; `nil` if nothing.
  let uses: String?
  /// Whether that is llavero, as `llavero setup` would write it, and the tool finds it.
  let isSetUp: Bool
  /// The reason why the state is unknown, or why the tool doesn't find llavero.
  let fault: String?
  /// Whether it names llavero, and only a link is missing.
  let lacksLink: Bool

  /// Reads the state, and changes nothing.
  init(of tool: ToolSetup, _ place: SetupPlace) {
    program = tool.programs.lazy.compactMap(ProgramLinks.found).first
    var (file, uses, isSetUp) = ("", String?.none, false)
    do throws(Failure) {
      let settings = try tool.settings(place)
      isSetUp = true
      for (setting, formats) in settings {
        if file.isEmpty { file = setting.path }
        let text = try setting.contents() ?? []
        do throws(ConfigurationFault) {
          for format in formats {
            let present = try format.current(in: text)
            uses = uses ?? present
            if !FormerCopy.isSet(format, in: text) { isSetUp = false }
          }
        } catch {
          throw Failure("\(setting.path) can't be used: \(error.reason)", status: .keychain)
        }
      }
      let missing =
        isSetUp
        ? try tool.links(place).map { "\($0.folder)/\($0.name)" }.first { !ProgramLinks.isOwn($0) } : nil
      lacksLink = missing != nil
      if lacksLink { isSetUp = false }
      fault = missing.map { "llavero, but there is no link \($0)" }
    } catch {
      (isSetUp, lacksLink) = (false, false)
      fault = error.message
    }
    (self.file, self.uses, self.isSetUp) = (file, uses, isSetUp)
  }
}
