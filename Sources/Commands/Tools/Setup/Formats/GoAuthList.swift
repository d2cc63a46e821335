/// Go's list of what to ask for logins ("go help goauth"): commands with semicolons between them.
enum GoAuthList {
  /// The list with a command at its beginning.
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
      })
  }

  private static func commands(_ list: String) -> [String] {
    list.split(separator: ";").map(String.init)
  }
}
