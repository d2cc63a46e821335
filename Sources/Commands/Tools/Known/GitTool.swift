import Interchange
import Keychain
import ToolCommands

extension KnownTool {
  static let git = KnownTool(
    ToolSetup(
      name: "git", programs: ["git"],
      settings: { (place) throws(KeychainError) in
        let file = configuration(place)
        // Git itself would complain about a file that it can't read.
        let present = try? GitEntries(try file.contents() ?? [])
        let isReadable = present != nil
        let helpers = present?.values(of: "credential.helper").compactMap(\.self) ?? []
        let helper = try helper(place, beside: helpers)
        let hasOthers = place.mayRunPrograms && isReadable && GitSettings.hasHelpers(beside: file.path)
        let lines = GitHelperLines(
          helper: helper, byHand: place.isOnPath(ProgramLinks.git) ? short : nil, hasOthersBefore: hasOthers,
          // A rule of the other machine may be for a path, and says nothing about a whole server.
          sendsPath: place.usesForwarded)
        return [ToolSetting(file, lines)]
      },
      check: { (path, text) throws(KeychainError) in try GitSettings.check(text, at: path) },
      earlier: { (place) throws(KeychainError) in
        let file = configuration(place)
        return [
          EarlierAnswers(around: file) { (text) throws(ConfigurationFault) in
            try chains(place, text, of: file).compactMap { chain in
              chain.otherwise.map {
                EarlierAnswers.Answer(path: chain.fileOfOther, sentence: $0, remedy: chain.leaving)
              }
            }
          }
        ]
      },
      silenced: { place, added in
        if !GitHelperLines(helper: "").resets(added) { return [] }
        let file = configuration(place)
        let entries = (try? entries(place, (try? file.contents()) ?? [], of: file)) ?? []
        // Git reads a repository's own file later.
        let earlier = entries.filter { !["local", "worktree", "command"].contains($0.scope) }
        return GitHelperChain.helpersBesideLlavero(in: earlier)
      },
      offers: { place in
        let file = configuration(place)
        let text = (try? file.contents()) ?? []
        let names = Set(((try? entries(place, text, of: file)) ?? []).compactMap(\.helperName))
        let kinds = [("gh", ["gh"]), ("gcm", ["manager", "manager-core"])]
        return kinds.filter { !names.isDisjoint(with: $0.1) }.map(\.0)
      },
      lack: { lack($0) },
      next: { _ in "git asks for each login that llavero doesn't have yet, and llavero keeps it" }
    ),
    speaks: "git-credential", imports: ["git-credentials", "git-config", "git-libsecret"],
    page: "git-credential-llavero(1)",
    recipes: [
      "send-email": """
      git send-email asks as git does ('llavero help git'), and llavero signs you in
      when it asks for the first time. Or do it before:

          llavero login smtp://smtp.gmail.com:587 --account you@gmail.com
          git config --global sendemail.smtpServer smtp.gmail.com
          git config --global sendemail.smtpServerPort 587
          git config --global sendemail.smtpEncryption tls
          git config --global sendemail.smtpUser you@gmail.com
          git config --global sendemail.smtpAuth XOAUTH2
          git send-email --to list@example.com HEAD^

      XOAUTH2 needs Authen::SASL 2.1800 or later for Perl; 2.16, as in Debian 12, is
      without.
      """
    ])

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    place.path("GIT_CONFIG_GLOBAL").map { ConfigurationFile(path: $0) }
      ?? place.first(of: [place.home(".gitconfig"), place.config("git/config")])
  }

  private static let short = "llavero"

  /// Git's own store is asked again, and its file is gone, as after an import that removes it.
  private static func lack(_ place: SetupPlace) -> (sentence: String, remedy: Hint)? {
    let file = configuration(place)
    let entries = (try? entries(place, (try? file.contents()) ?? [], of: file)) ?? []
    guard let chain = GitHelperChain.all(in: entries).first,
      chain.asked.contains(where: { $0.name == "store" })
    else { return nil }
    let usual = UsualPaths.expanded(of: .gitCredentials)
    let files = chain.storeFiles.isEmpty ? usual : chain.storeFiles
    guard let path = files.first, !files.contains(where: ProgramLinks.isThere) else { return nil }
    let export: Hint =
      "\(command: "llavero", "export", "--format", FileFormat.gitCredentials.name, "--output", path)"
    return (
      "git asks its own store again, which has no file; the logins stay in llavero",
      "\(export) writes them there, in plain text"
    )
  }

  /// The helper as git's configuration names it. A person may have written its short name.
  private static func helper(
    _ place: SetupPlace, beside present: [[UInt8]]
  ) throws(KeychainError) -> String {
    if place.isForRemoving, present.contains(where: { $0.elementsEqual(short.utf8) }) { return short }
    let ownFolder = place.mayRunPrograms ? GitSettings.ownFolder : nil
    if place.isFoundEverywhere(ProgramLinks.git, searching: ownFolder) { return short }
    // A shell takes an absolute path.
    return try place.plain(place.absolute(ProgramLinks.git))
  }

  private static func chains(
    _ place: SetupPlace, _ text: [UInt8], of file: ConfigurationFile
  ) throws(ConfigurationFault) -> [GitHelperChain] {
    GitHelperChain.all(in: try entries(place, text, of: file))
  }

  /// The entries that git reads; without git, those in the file.
  private static func entries(
    _ place: SetupPlace, _ text: [UInt8], of file: ConfigurationFile
  ) throws(ConfigurationFault) -> [GitSettings.Entry] {
    if place.mayRunPrograms, let entries = GitSettings.credentialEntries() { return entries }
    return try GitEntries(text).entries.map { entry in
      GitSettings.Entry(
        name: String(decoding: entry.name, as: UTF8.self),
        value: String(decoding: entry.value ?? [], as: UTF8.self), scope: "global",
        origin: "file:\(file.path)")
    }
  }
}
