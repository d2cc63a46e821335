/// Go's list of sources of logins ("go help goauth"): commands separated by semicolons.
enum GoAuthList {
  static func setting(_ command: String) -> VariableLines {
    // llavero, perhaps at a former path.
    let isLlavero: @Sendable (String) -> Bool = { other in
      let words = other.split(separator: " ")
      return other == command || words.count == 2 && words[1] == "goauth" && NamedPath.isLlavero(words[0])
    }
    let list: @Sendable (String?) -> String = { present in
      let others = present ?? "netrc"
      if commands(others).filter(isLlavero) == [command] { return others }
      if others == "off" || others.isEmpty { return command }
      return ([command] + commands(others).filter { !isLlavero($0) }).joined(separator: ";")
    }
    var setting = VariableLines(.go, ("GOAUTH", list))
    setting.accepts = { present in
      // "GOAUTH=off cannot be combined with other authentication commands"
      let commands = commands(present)
      return commands.count < 2 || !commands.contains("off")
    }
    let lines = setting
    setting.command = OwnCommand(
      programs: ["go"], file: "env",
      // A project may want another version of go, which would be fetched.
      variables: { [("GOENV", "\($0)/env"), ("GOTOOLCHAIN", "local"), ("GOAUTH", nil)] },
      arguments: { _, text in ["env", "-w"] + ((try? lines.lines(for: text, like: text)) ?? []) })
    return setting
  }

  private static func commands(_ list: String) -> [String] {
    list.split(separator: ";").map(String.init)
  }
}
