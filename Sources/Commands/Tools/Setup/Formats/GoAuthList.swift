/// Go's list of sources of logins ("go help goauth"): commands separated by semicolons.
enum GoAuthList {
  /// Puts a command at the beginning of the list.
  static func setting(_ command: String) -> VariableLine {
    VariableLine(
      .go, "GOAUTH",
      becomes: { present in
        let others = present ?? "netrc"
        if commands(others).contains(command) { return others }
        return others == "off" || others.isEmpty ? command : "\(command);\(others)"
      },
      former: { present in
        let others = commands(present).filter { $0 != command }
        return others.isEmpty ? nil : others.joined(separator: ";")
      },
      accepts: { present in
        // "GOAUTH=off cannot be combined with other authentication commands"
        let commands = commands(present)
        return commands.count < 2 || !commands.contains("off")
      })
  }

  private static func commands(_ list: String) -> [String] {
    list.split(separator: ";").map(String.init)
  }
}
