import Terminals

/// How a tool stands to llavero, as its configuration says.
struct SetupState {
  /// Where the tool is; `nil` if it is nowhere along the PATH.
  let program: String?
  /// The configuration's file.
  let file: String
  /// What it names now; `nil` if nothing.
  let uses: String?
  /// Whether that is llavero, as `llavero setup` would write it.
  let isSetUp: Bool
  /// Why that can't be told.
  let fault: String?

  /// Looks, and changes nothing.
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
