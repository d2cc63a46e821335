import Terminals

/// The state of a tool's configuration with regard to llavero.
struct SetupState {
  /// The path of the tool; `nil` if it isn't on the PATH.
  let program: String?
  /// The path of the configuration file.
  let file: String
  /// What the configuration names now; `nil` if nothing.
  let uses: String?
  /// Whether that is llavero, as `llavero setup` would write it.
  let isSetUp: Bool
  /// The reason why the state is unknown.
  let fault: String?

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
      fault = nil
    } catch {
      isSetUp = false
      fault = error.message
    }
    (self.file, self.uses, self.isSetUp) = (file, uses, isSetUp)
  }
}
