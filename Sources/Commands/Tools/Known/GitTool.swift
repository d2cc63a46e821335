import Interchange
import Terminals

extension KnownTool {
  /// Git.
  static let git = KnownTool(
    ToolSetup(
      name: "git", programs: ["git"],
      settings: { (place) throws(Failure) in
        let file = configuration(place)
        let helper = try place.shortOrAbsolute("llavero", ProgramLinks.git)
        // Git itself would complain about a file that it can't read.
        let isReadable = (try? GitConfiguration(try file.contents() ?? [])) != nil
        let hasOthers = place.mayRunPrograms && isReadable && GitSettings.hasHelpers(beside: file.path)
        return [(file, [GitHelperLines(helper: helper, hasOthersBefore: hasOthers)])]
      },
      check: { (path, text) throws(Failure) in try GitSettings.check(text, at: path) },
      earlier: { (place) throws(Failure) in
        let helper = try place.shortOrAbsolute("llavero", ProgramLinks.git)
        return [
          EarlierAnswers(in: configuration(place)) { (text) throws(ConfigurationFault) in
            try GitHelperLines(helper: helper).exceptions(in: text).map {
              "for \($0), git asks another helper too; see 'llavero doctor'"
            }
          }
        ]
      },
      next: { _ in
        FileSource.usualPaths(of: .gitCredentials).isEmpty
          ? "git asks for each login once more, and llavero keeps it"
          : "bring in its plain-text logins with 'llavero import git-credentials', or git asks for each once more"
      }
    ),
    speaks: "git-credential", imports: ["git-credentials", "netrc", "git-libsecret", "gcm", "gh"],
    page: "git-credential-llavero(1)")

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    place.path("GIT_CONFIG_GLOBAL").map { ConfigurationFile(path: $0) }
      ?? place.first(of: [place.home(".gitconfig"), place.config("git/config")])
  }
}
